import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'

const HEADERS = {
  deprecation: '@1767225600',
  sunset: 'Sun, 05 Jul 2026 00:00:00 GMT',
  link: '</guides>; rel="help", </docs/data-sources#data-sources.list>; rel="deprecation"; type="text/html"',
}

describe('OP-06 an operation that will be removed', () => {
  let server: Server
  let url: string
  let headers: Record<string, string> = {}
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ items: [], next_cursor: null }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const svc = (sent: Record<string, string>, ...args: string[]) => {
    headers = sent
    return runSvc(args, { env: { SVC_API_URL: url, SVC_API_KEY: 'svc_key' } })
  }
  const WARNING = 'is deprecated since 2026-01-01 and may be removed from 2026-07-05 on.'

  it('is warned of once, on stderr, with the page that describes it', async () => {
    const { exit, stdout, stderr } = await svc(HEADERS, 'api', 'GET', '/api/wf/slim/data-sources?x=secret')
    expect(exit).toBe(0)
    expect(stderr).toBe(
      `Warning: GET /api/wf/slim/data-sources ${WARNING} See ${url}/docs/data-sources#data-sources.list.\n`,
    )
    expect(stdout).not.toContain('Warning')
    const listed = await svc(HEADERS, 'datasource', 'list', '--json')
    expect(listed.stderr.match(/Warning/g)).toHaveLength(1)
    expect(JSON.parse(listed.stdout)).toBeDefined()
  })

  it.each([
    ['no such header', {}, ''],
    ['a header in another form', { deprecation: 'true' }, ''],
    ['no end and no page', { deprecation: '@1767225600' }, 'deprecated since 2026-01-01 and will be removed.\n'],
    ['a page elsewhere', { ...HEADERS, link: '<https://example.com/x>; rel="deprecation"' }, `${WARNING}\n`],
  ])('with %s', async (_, sent, end) => {
    const { stderr } = await svc(sent, 'api', 'GET', '/x')
    if (end === '') expect(stderr).toBe('')
    else expect(stderr.endsWith(end)).toBe(true)
  })
})
