import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONSOLE_ADDRESSES } from '#contract/console.ts'
import { eventLink } from '#contract/core/events.ts'
import { chooseEncoding } from '#edge/format/encoding.ts'
import { exampleEvent, SUBSCRIBABLE_TYPES } from '#test/deliveries/example-events.ts'
import { type System, startSystem } from '#test/system.ts'
import { assetResponse } from './files.ts'
import { createConsole } from './index.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('CO-01 the files of the console', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-console-'))
    mkdirSync(join(folder, 'assets'))
    const files = {
      'index.html': 'plain page',
      'index.html.br': 'brotli page',
      'index.html.gz': 'gzip page',
      'assets/main-a1.js': 'plain script',
      'assets/main-a1.js.br': 'brotli script',
      'assets/inter-b2.woff2': 'font',
      'secret.js': 'not an asset',
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const get = (accept: string, encoding?: string) =>
    new Request('http://svc.example', { headers: { accept, ...(encoding && { 'accept-encoding': encoding }) } })
  const pages = () => createConsole({ folder: () => folder, isOperation: (path) => path.startsWith('/api/') })
  const visit = (path: string, request = get(BROWSER)) => pages().pageFor(request, path)

  it('its addresses get the page, unknown ones the same page with 404, and operations and other clients nothing', async () => {
    for (const path of CONSOLE_ADDRESSES) expect([path, (await visit(path))?.status]).toEqual([path, 200])
    const unknown = await visit('/nothing/here')
    expect([unknown?.status, await unknown?.text()]).toEqual([404, 'plain page'])
    expect(await visit('/api/nothing')).toBeUndefined()
    expect(await visit('/mcp/sources', get('application/json'))).toBeUndefined()
    expect(await visit('/mcp/sources', get('*/*'))).toBeUndefined()
    const post = new Request('http://svc.example', { method: 'POST', headers: { accept: BROWSER } })
    expect(await visit('/mcp/sources', post)).toBeUndefined()
  })

  it('the page runs only scripts and styles of its own files, is not framed, and is asked for each time', async () => {
    const page = await visit('/inbox')
    expect(Object.fromEntries(page!.headers)).toEqual({
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  it('are sent as the build compressed them, and kept by the browser for good', async () => {
    const asset = async (file: string, encoding: string) => {
      const response = await assetResponse(folder, file, get('*/*', encoding))
      return [await response?.text(), response?.headers.get('content-encoding'), response?.headers.get('vary')]
    }
    expect(await asset('main-a1.js', 'gzip, deflate, br')).toEqual(['brotli script', 'br', 'Accept-Encoding'])
    expect(await asset('main-a1.js', 'gzip')).toEqual(['plain script', null, 'Accept-Encoding'])
    expect(await asset('inter-b2.woff2', 'br')).toEqual(['font', null, 'Accept-Encoding'])
    const scriptResponse = await assetResponse(folder, 'main-a1.js', get('*/*'))
    expect(scriptResponse?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await (await visit('/', get(BROWSER, 'gzip')))?.text()).toBe('gzip page')
  })

  it.each(['../secret.js', '..%2fsecret.js', '.js', 'main-a1.js.br', 'none.js', 'index.html', 'main-a1'])(
    'no other file can be asked for: %s',
    async (file) => {
      expect(await assetResponse(folder, file, get('*/*', 'br'))).toBeUndefined()
    },
  )

  it.each([
    [null, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.2, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0.1', 'br'],
    ['br;q=0, gzip;q=0', undefined],
    ['br;q=x', undefined],
  ] as const)('Accept-Encoding %j chooses %j', (header, expected) => {
    expect(chooseEncoding(header)).toBe(expected)
  })
})

describe('CO-01 addresses at the door', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const open = (path: string, accept = BROWSER) => fetch(`${system.url}${path}`, { headers: { accept } })

  it('NO-02 the link of every type of event opens a page of the console without a session', async () => {
    for (const type of SUBSCRIBABLE_TYPES) {
      const link = eventLink(exampleEvent(type, 'org_1'))
      const response = await open(link)
      expect([type, link, response.status, response.headers.get('content-type')]).toEqual([
        type,
        link,
        200,
        'text/html; charset=utf-8',
      ])
      await response.body?.cancel()
    }
  })

  it('agents and programs get the answer of the service that owns the path', async () => {
    const page = await open('/mcp/sources')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const program = await open('/mcp/sources', 'application/json')
    expect([program.status, await program.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
    const api = await open('/api/nothing')
    expect([api.status, await api.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
  })

  it('HEAD gets the same headers without the page', async () => {
    const head = await fetch(`${system.url}/mcp/sources`, { method: 'HEAD', headers: { accept: BROWSER } })
    expect([head.status, await head.text(), head.headers.get('x-request-id')]).toEqual([
      200,
      '',
      expect.stringMatching(/^req_/),
    ])
  })
})
