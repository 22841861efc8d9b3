import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ERRORS } from '#contract/core/errors.ts'
import { type Access, operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { toOpenApi } from '../openapi/document.ts'
import { escapeHtml } from '../pages/html.ts'
import { exampleOf } from './example.ts'
import { accessWords } from './operation.ts'
import { DOCS_CSP, docsPages } from './page.ts'
import { pythonExample } from './python.ts'
import { DOCS_SCRIPT } from './script.ts'
import { typescriptExample } from './typescript.ts'

const document = toOpenApi(OPERATIONS, { version: '1.2.3' })
const pages = docsPages(document)
const pageOf = (name: string) => pages.groups.get(name.split('.')[0]!)!

const HOSTILE = `</style></code><script>alert('x')</script><img src=x onerror="alert(1)"> & "quoted"`

const Tree = z.strictObject({
  name: z.string(),
  get children() {
    return z.array(Tree).optional()
  },
})

const hostile = operation({
  kind: 'json',
  name: 'test.hostile',
  method: 'PATCH',
  path: '/things/{id}',
  summary: HOSTILE,
  description: `\`${HOSTILE}\` ${HOSTILE}`,
  access: { principals: ['user'], role: 'viewer', scope: null, org: 'token' },
  effect: 'write',
  bodyLimit: 2 * 1024 * 1024,
  rateLimits: [
    { name: 'x', per: 'org', limit: 60, windowSeconds: 3600 },
    { name: 'y', per: 'address', counts: 'failures', limit: 20, windowSeconds: 60 },
  ],
  input: z.object({
    id: z.string().describe(HOSTILE),
    [HOSTILE]: z.enum([HOSTILE, 'other']).describe(HOSTILE),
    pattern: z
      .string()
      .regex(/^<b>'$/)
      .default(HOSTILE),
    tree: Tree,
  }),
  output: z.object({
    nested: z.array(z.object({ value: z.literal(HOSTILE) })),
    maybe: z.string().nullable().optional(),
  }),
})
const follow = operation({
  ...hostile,
  kind: 'stream',
  name: 'test.follow',
  method: 'GET',
  path: '/follow',
  summary: 'Follows',
  description: 'All of it',
  access: 'operator',
  input: z.object({ since: z.iso.datetime() }),
  event: z.discriminatedUnion('type', [
    z.object({ type: z.literal('status'), state: z.string() }),
    z.object({ type: z.literal('summary'), tokens: z.int() }),
  ]),
})
const doc = toOpenApi([hostile, follow], { version: HOSTILE, baseUrl: 'https://svc.test/' })
const hostilePages = docsPages(doc)
const hostilePage = hostilePages.groups.get('test')!

/** Values of an attribute, wherever it stands. */
function attributes(of: string, name: string): string[] {
  return [...of.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map((match) => match[1]!)
}

function article(of: string, id: string): string {
  const start = of.indexOf(`<article id="${id}"`)
  return of.slice(start, of.indexOf('</article>', start))
}

describe('the pages of the product', () => {
  it.each(OPERATIONS.map(({ name, method, path, summary }) => ({ name, method, path, summary })))(
    'show $name once, and lead to it from the contents of each page',
    ({ name, method, path, summary }) => {
      const area = name.split('.')[0]!
      const all = [pages.overview, ...pages.groups.values()]
      expect(all.filter((page) => page.includes(`<article id="${name}"`))).toEqual([pageOf(name)])
      for (const page of [pages.overview, pageOf('apps.list')]) {
        expect(page).toContain(
          `<li data-search="${method} ${escapeHtml(path)} ${name}"><a href="/docs/${area}#${name}">${escapeHtml(summary)}</a></li>`,
        )
      }
      const text = article(pageOf(name), name).replaceAll('<wbr>', '')
      expect(text).toContain(`>${method}</span> <code>${escapeHtml(path)}</code>`)
      expect(text).toContain(escapeHtml(summary))
      for (const part of ['curl ', 'await fetch(', 'requests.request(']) expect(text).toContain(part)
    },
  )

  it.each(Object.entries(ERRORS))('list %s with status and exit code', (code, { status, exit }) => {
    const row = pages.overview.split('<tr').find((text) => text.includes(`<code>${code}</code><p>`))
    expect(row).toContain(`<td>${status}</td><td>${exit}</td>`)
  })

  it('are at most 350 KB each', () => {
    const sizes = [...pages.groups].map(([name, text]) => ({ name, kb: Buffer.byteLength(text) / 1024 }))
    expect(sizes.filter(({ kb }) => kb > 350)).toEqual([])
  })

  it.each([
    ['overview', pages.overview],
    ['apps', pageOf('apps.list')],
  ])('have a landmark for each part, one first heading and no skipped level: %s', (_, page) => {
    for (const tag of ['<header', '<nav aria-label="Contents"', '<main id="content"']) expect(page).toContain(tag)
    const levels = [...page.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.every((level, index) => level <= (levels[index - 1] ?? 0) + 1)).toBe(true)
  })
})

describe.each([
  ['the product', pages.overview],
  ['an area', pageOf('apps.list')],
  ['hostile text', hostilePage],
])('the page of %s', (_, of) => {
  it('loads nothing and runs nothing but the script of its search', () => {
    expect([...of.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => script)).toEqual([DOCS_SCRIPT])
    const rest = of.replace(DOCS_SCRIPT, '').replace('<script></script>', '')
    expect(rest).not.toMatch(/<script|<img|<link|<iframe|<object|javascript:|@import|url\(/i)
    expect(of).not.toMatch(/<[a-z]\w*(?:\s[\w-]+(?:="[^"]*")?)*\s(?:on\w+|style|src)=/i)
    for (const href of attributes(of, 'href'))
      expect(href).toMatch(/^(?:#.+|\/openapi\.json|\/docs(?:\/[\w-]+)?(?:#.+)?)$/)
  })

  it('has no id twice, and every link leads somewhere', () => {
    const ids = attributes(of, 'id')
    expect(ids).toEqual([...new Set(ids)])
    for (const href of attributes(of, 'href')) if (href.startsWith('#')) expect(ids).toContain(href.slice(1))
    const { overview, groups } = of === hostilePage ? hostilePages : pages
    for (const [, area, id] of of.matchAll(/href="\/docs(?:\/([\w-]+))?#([^"]+)"/g)) {
      const target = area === undefined ? overview : groups.get(area)!
      expect(target, `${area}#${id}`).toContain(` id="${id}"`)
    }
  })

  it('closes what it opens', () => {
    const open: string[] = []
    for (const [, slash, tag] of of.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (['meta', 'wbr', 'col', 'input'].includes(tag!)) continue
      if (slash === '') open.push(tag!)
      else expect(open.pop()).toBe(tag)
    }
    expect(open).toEqual([])
  })

  it('has exactly the style sheet and the script that its policy allows', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(of)![1]!
    expect(DOCS_CSP).toBe(
      `default-src 'none'; script-src 'sha256-${hash('sha256', DOCS_SCRIPT, 'base64')}'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })
})

describe('one operation', () => {
  const text = article(hostilePage, 'test.hostile')

  it('shows hostile text as text', () => {
    expect(text).not.toContain('<script>')
    expect(text).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;')
  })

  it('describes its limits', () => {
    expect(text).toContain('2 MiB')
    expect(text).toContain('60 in 3,600 s for each organization; 20 refused requests in 60 s for each client address')
    expect(text).toContain('Writes: refused to read-only sessions')
  })

  it('marks required fields of requests and optional fields of answers', () => {
    const [request, answer] = text.split('<h3>Answer')
    expect(request).toContain('<code>tree</code> <small class="required">required</small>')
    expect(request).not.toContain('class="optional"')
    expect(answer).toContain('<code>maybe</code> <small class="optional">optional</small>')
    expect(answer).not.toContain('class="required"')
  })

  it('expands nested fields, and a recursive one once', () => {
    expect(text.split('<summary>Fields of <code>tree</code>')).toHaveLength(2)
    expect(text).toContain('list of the same again')
    expect(text).toContain('<summary>Fields of <code>nested</code></summary>')
  })

  it('names the variants of an event by the field that distinguishes them', () => {
    const events = article(hostilePage, 'test.follow')
    for (const form of ['type <code>status</code>', 'type <code>summary</code>', 'only <code>problem</code>']) {
      expect(events).toContain(`<summary>${form}</summary>`)
    }
  })
})

const AsyncFunction = (async () => {}).constructor as new (text: string) => unknown

describe('the example', () => {
  const codeOf = (id: string, language: string) =>
    new RegExp(`<pre[^>]*data-language="${language}"[^>]*><code>([\\s\\S]*?)</code>`).exec(article(hostilePage, id))![1]
  const commandOf = (id: string) => codeOf(id, 'curl')

  it.each(OPERATIONS.map((op) => op.name))('in TypeScript of %s is a program', (name) => {
    const { method, path } = OPERATIONS.find((op) => op.name === name)!
    const op = document.paths[path]![method.toLowerCase() as 'get']!
    expect(() => new AsyncFunction(typescriptExample(exampleOf({ method, path, op }, document)))).not.toThrow()
  })

  it('in TypeScript sends the body and the token', () => {
    expect(codeOf('test.follow', 'typescript')).toBe(
      escapeHtml(
        [
          'const query = new URLSearchParams({"since":"2026-01-31T12:00:00.000Z"})',
          `const response = await fetch(\`https://svc.test/follow?\${query}\`, {`,
          `  headers: { authorization: \`Bearer \${process.env.SVC_OPERATOR_TOKEN}\` },`,
          '})',
          'if (!response.ok) throw new Error(await response.text())',
          'for await (const text of response.body.pipeThrough(new TextDecoderStream())) {',
          '  process.stdout.write(text) // one JSON object in each line',
          '}',
        ].join('\n'),
      ),
    )
  })

  it('in Python has literals of Python', () => {
    const request = {
      method: 'POST',
      server: '',
      path: '/api/things/{id}',
      parameters: ['id'],
      query: [],
      token: 'SVC_TOKEN',
      body: { type: 'application/json', value: { on: true, off: null, names: ['a'], count: 2 } },
      answer: 'json',
    } as const
    expect(pythonExample(request).split('\n')).toEqual([
      'import os',
      'import requests',
      '',
      'id = "<id>"',
      'response = requests.request(',
      '    "POST",',
      `    f"{os.environ['SVC_URL']}/api/things/{id}",`,
      `    headers={"Authorization": f"Bearer {os.environ['SVC_TOKEN']}", "Content-Type": "application/json"},`,
      '    json={"on": True, "off": None, "names": ["a"], "count": 2},',
      ')',
      'response.raise_for_status()',
      'print(response.json())',
    ])
  })

  it('quotes a body so that the shell does not change it', () => {
    const command = commandOf('test.hostile')!
    expect(command).toContain(
      'curl -X PATCH &quot;https://svc.test/things/$ID&quot; \\\n  -H &quot;Authorization: Bearer $SVC_TOKEN&quot;',
    )
    expect(command).toContain(escapeHtml(`alert('\\''x'\\'')`))
    expect(command).toContain(escapeHtml('"tree":{"name":"<name>"}'))
  })

  it('reads a stream without buffering', () => {
    expect(commandOf('test.follow')).toBe(
      escapeHtml(
        [
          'curl "https://svc.test/follow"',
          '-H "Authorization: Bearer $SVC_OPERATOR_TOKEN"',
          '-N',
          "--url-query 'since=2026-01-31T12:00:00.000Z'",
        ].join(' \\\n  '),
      ),
    )
  })
})

describe('who may call, in words', () => {
  const of = (over: object): Access => ({ principals: ['user'], role: null, scope: null, org: 'token', ...over })
  const cases: [Access, string][] = [
    ['public', 'Anyone, without a token'],
    ['operator', 'The operator, with the operator token'],
    [of({}), 'Signed-in users in any organization or none'],
    [
      of({ role: 'admin', org: 'path' }),
      'Signed-in users with the role `admin` or above, in the organization of the path',
    ],
    [
      of({ principals: ['user', 'api_token', 'agent'], role: 'viewer', scope: 'functions:call' }),
      'Signed-in users, API tokens and connected agents with the role `viewer` or above; agents need the scope `functions:call`',
    ],
    [
      of({ principals: ['agent'], role: 'viewer', scope: ['datasources:read', 'datasources:query'] }),
      'Connected agents with the role `viewer` or above; agents need the scope `datasources:read` or `datasources:query`',
    ],
    [of({ principals: ['user', 'agent'] }), 'Signed-in users in any organization or none'],
    [
      of({ principals: ['run', 'workload'], role: 'developer', part: 'builder' }),
      'Maintenance runs and workloads with the role `developer` or above, or with the part `builder` in the app',
    ],
  ]
  it.each(cases)('%j', (access, words) => {
    expect(accessWords(access)).toBe(words)
  })
})
