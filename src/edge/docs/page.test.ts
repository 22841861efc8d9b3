import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ERRORS } from '#contract/core/errors.ts'
import { type Access, operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { toOpenApi } from '../openapi/document.ts'
import { escapeHtml } from '../pages/html.ts'
import { accessWords } from './operation.ts'
import { DOCS_CSP, docsPage } from './page.ts'
import { SEARCH_SCRIPT } from './search-script.ts'

const page = docsPage(toOpenApi(OPERATIONS, { version: '1.2.3' }))

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
const hostilePage = docsPage(doc)

/** Values of an attribute, wherever it stands. */
function attributes(of: string, name: string): string[] {
  return [...of.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map((match) => match[1]!)
}

function article(of: string, id: string): string {
  const start = of.indexOf(`<article id="${id}"`)
  return of.slice(start, of.indexOf('</article>', start))
}

describe('the page of the product', () => {
  it.each(OPERATIONS.map(({ name, method, path, summary }) => ({ name, method, path, summary })))(
    'shows $name once, and leads to it from the contents',
    ({ name, method, path, summary }) => {
      expect(page.split(`<article id="${name}"`)).toHaveLength(2)
      expect(page).toContain(
        `<li data-search="${method} ${escapeHtml(path)} ${name}"><a href="#${name}">${escapeHtml(summary)}</a></li>`,
      )
      const text = article(page, name).replaceAll('<wbr>', '')
      expect(text).toContain(`>${method}</span> <code>${escapeHtml(path)}</code>`)
      expect(text).toContain(escapeHtml(summary))
      expect(text).toContain('curl ')
    },
  )

  it.each(Object.entries(ERRORS))('lists %s with status and exit code', (code, { status, exit }) => {
    const row = page.split('<tr').find((text) => text.includes(`<code>${code}</code><p>`))
    expect(row).toContain(`<td>${status}</td><td>${exit}</td>`)
  })

  it('has a landmark for each part, one first heading and no skipped level', () => {
    for (const tag of ['<header', '<nav aria-label="Contents"', '<main id="content"']) expect(page).toContain(tag)
    const levels = [...page.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.every((level, index) => level <= (levels[index - 1] ?? 0) + 1)).toBe(true)
  })
})

describe.each([
  ['the product', page],
  ['hostile text', hostilePage],
])('the page of %s', (_, of) => {
  it('loads nothing and runs nothing but the script of its search', () => {
    expect([...of.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => script)).toEqual([SEARCH_SCRIPT])
    const rest = of.replace(SEARCH_SCRIPT, '').replace('<script></script>', '')
    expect(rest).not.toMatch(/<script|<img|<link|<iframe|<object|javascript:|@import|url\(/i)
    expect(of).not.toMatch(/<[a-z]\w*(?:\s[\w-]+(?:="[^"]*")?)*\s(?:on\w+|style|src)=/i)
    for (const href of attributes(of, 'href')) expect(href).toMatch(/^(?:#.+|openapi\.json)$/)
  })

  it('has no id twice, and every link leads somewhere', () => {
    const ids = attributes(of, 'id')
    expect(ids).toEqual([...new Set(ids)])
    for (const href of attributes(of, 'href')) if (href.startsWith('#')) expect(ids).toContain(href.slice(1))
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
      `default-src 'none'; script-src 'sha256-${hash('sha256', SEARCH_SCRIPT, 'base64')}'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
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
    const [request, answer] = text.split('<h4>Answer')
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

describe('the example', () => {
  const commandOf = (id: string) => /<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(article(hostilePage, id))![1]

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
