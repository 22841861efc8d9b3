import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type System, startSystem } from '#test/system.ts'
import { readGuides } from './site/sources.ts'

const ROOT = new URL('../../../../', import.meta.url).pathname
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const PAGE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe('OP-11 the guides of a server', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const get = (path: string, headers: Record<string, string> = BROWSER) => fetch(`${system.url}${path}`, { headers })

  it('the list and every guide are shown without a sign-in, and only run scripts and styles of the server', async () => {
    const names = (await readGuides(ROOT)).map(({ name }) => `/guides/${name}`)
    expect(names).toEqual(
      expect.arrayContaining(['/guides/readme', '/guides/running', '/guides/decisions', '/guides/decisions-auth']),
    )
    for (const path of ['/guides', ...names]) {
      const response = await get(path)
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ])
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-security-policy': PAGE_CSP,
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      })
      const page = await response.text()
      const loaded = [...page.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]*)"/g)].map(([, url]) => url)
      expect(loaded).toEqual(['/guides/guides.css', '/guides/guides.js'])
      expect(page).not.toMatch(/<style|<script>|<iframe|\sstyle="|\son[a-z]+="/)
    }
  })

  it('commands and links name the address of this instance, except where the guide is about addresses', async () => {
    for (const page of ['readme', 'data-sources', 'connect-an-agent', 'console']) {
      const text = await (await get(`/guides/${page}`)).text()
      expect(text).toContain(system.url)
      expect(text).not.toContain('http://127.0.0.1:8080')
    }
    expect(await (await get('/guides/running')).text()).toContain('http://127.0.0.1:8080')
  })

  it.each([
    ['/guides/guides.css', 'text/css; charset=utf-8'],
    ['/guides/guides.js', 'text/javascript; charset=utf-8'],
    ['/guides/search-index.js', 'text/javascript; charset=utf-8'],
  ])('%s is %s and names no other host', async (path, type) => {
    const response = await get(path, {})
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    if (path !== '/guides/search-index.js') expect(await response.text()).not.toMatch(/https?:|\/\/[a-z]/)
  })

  it('a browser that has the page gets 304, and each encoding the same text', async () => {
    const plain = await get('/guides/running', { ...BROWSER, 'accept-encoding': 'identity' })
    const etag = plain.headers.get('etag')!
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/)
    const again = await get('/guides/running', { ...BROWSER, 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const text = await plain.text()
    for (const encoding of ['br', 'gzip']) {
      const response = await get('/guides/running', { ...BROWSER, 'accept-encoding': encoding })
      expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
        encoding,
        'Accept-Encoding',
      ])
      expect(await response.text()).toBe(text)
    }
  })

  it.each(['/guides/none', '/guides/running.html', '/guides/404', '/guides/RUNNING'])(
    '%s is a page with the status 404 that links to the list, and a problem for programs',
    async (path) => {
      const page = await get(path)
      expect([page.status, page.headers.get('content-security-policy')]).toEqual([404, PAGE_CSP])
      expect(await page.text()).toContain('<a href="/guides">List all guides</a>')
      const problem = await get(path, { accept: 'application/json' })
      expect([problem.status, await problem.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
    },
  )
})
