import { beforeAll, describe, expect, it } from 'vitest'
import { FILES, SERVED } from './form.ts'
import { createHeadingIds } from './heading-ids.ts'
import { makeSite, type Site } from './make-site.ts'
import { loadMarkdown } from './markdown.ts'

const ROOT = new URL('../../../../../', import.meta.url).pathname

describe.each([
  [
    'served',
    SERVED,
    (href: string) => (href === '/guides' ? 'index.html' : href.slice(8).replace(/^[\w-]+$/, '$&.html')),
  ],
  ['in a folder', FILES, (href: string) => href],
] as const)('OP-11 the guides %s', (_, form, fileOf) => {
  let site: Site
  beforeAll(async () => {
    site = await makeSite(ROOT, form, '1.2.3')
  })

  it('every link and every anchor of every page leads somewhere', () => {
    const dead: string[] = []
    for (const [file, text] of site) {
      if (!file.endsWith('.html')) continue
      for (const href of hrefsOf(text)) {
        const [address = '', id = ''] = href.split('#')
        if (/^https?:/.test(address) || ['/', '/docs'].includes(address)) continue
        const target = site.get(address === '' ? file : fileOf(address))
        if (target === undefined || (id !== '' && !target.includes(` id="${id}"`))) dead.push(`${file}: ${href}`)
      }
    }
    expect(dead).toEqual([])
  })

  it('the search index has every heading at an address that exists', () => {
    const [, json = ''] = /^globalThis\.svcGuides = (.*)\n$/s.exec(site.get('search-index.js')!)!
    const pages = JSON.parse(json) as { address: string; title: string; sections: [string, string, string][] }[]
    for (const { address, sections } of pages) {
      for (const [id] of sections) expect(site.get(fileOf(address))).toContain(` id="${id}"`)
    }
    const running = pages.find(({ title }) => title === 'Running svc')!
    expect(running.sections.map(([, heading]) => heading)).toContain('Upgrading')
    expect(running.sections.flat().join(' ')).toContain('SVC_OPERATOR_TOKEN')
  })

  it('ids are unique on each page, and the navigation marks the page that is open', () => {
    for (const [file, text] of site) {
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)
      expect([file, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([file, []])
    }
    expect(site.get('decisions-auth.html')).toMatch(/<a href="[^"]*decisions-auth[^"]*" aria-current="page">Auth<\/a>/)
  })
})

it('OP-11 pages in a folder have only relative addresses', async () => {
  for (const [file, text] of await makeSite(ROOT, FILES, '1.2.3')) {
    const addresses = [...hrefsOf(text), ...[...text.matchAll(/(?:src|data-index)="([^"]*)"/g)].map(([, url]) => url!)]
    expect([file, addresses.filter((url) => url.startsWith('/'))]).toEqual([file, []])
  }
})

function hrefsOf(page: string): string[] {
  return [...page.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href!)
}

describe('OP-11 rendering Markdown', () => {
  const render = async (markdown: string) =>
    (await loadMarkdown())({ path: 'docs/a.md', markdown }, (path) => (path === 'docs/b.md' ? '/guides/b' : undefined))

  it('HTML in a guide is shown as text', async () => {
    const { body } = await render('# A\n\n<script>alert(1)</script>\n\nx <img src=x onerror="y"> `<b>` z\n\n![<i>](x)')
    expect(body).not.toMatch(/<script|<img|<b>|<i>/)
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).toContain('<code>&lt;b&gt;</code>')
  })

  it.each(['sh', 'ts', 'json', 'yaml', 'sql', 'python', 'go', 'unknown', ''])(
    'code in %j is escaped, and keeps its text',
    async (language) => {
      const { body } = await render(`# A\n\n\`\`\`${language}\na="<b>" # </code><script>\n\`\`\``)
      expect(body).not.toMatch(/<script|<b>/)
      const text = body
        .replace(/<[^>]+>/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&gt;', '>')
      expect(text.replaceAll('&lt;', '<')).toBe('A\na="<b>" # </code><script>\n')
    },
  )

  it('a link to a guide leads to its page, one to another file shows its path, and one elsewhere is left alone', async () => {
    const { body } = await render(
      '# A\n\n[b](b.md#x) [here](#a) [code](../src/a.ts) [LICENSE](../LICENSE) [out](https://example.com)',
    )
    expect(body).toContain('<a href="/guides/b#x">b</a> <a href="#a">here</a> code (<code>src/a.ts</code>)')
    expect(body).toContain('<code>LICENSE</code> <a href="https://example.com" rel="noreferrer">out</a>')
  })

  it('a script address is no link', async () => {
    const { body } = await render('# A\n\n[x](javascript:alert)')
    expect(body).not.toContain('href="javascript')
  })
})

it('OP-11 headings have the ids that GitHub gives them', () => {
  const idOf = createHeadingIds()
  expect(['5. See who asked', 'TLS', 'TLS', '`svc db` & co', 'Größe'].map(idOf)).toEqual([
    '5-see-who-asked',
    'tls',
    'tls-1',
    'svc-db--co',
    'größe',
  ])
})
