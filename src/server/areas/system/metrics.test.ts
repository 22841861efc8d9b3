import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type System, startSystem } from '#test/system.ts'

describe('OP-03 metrics', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const scrape = async (headers: Record<string, string> = {}) =>
    (await fetch(`${system.url}/metrics`, { headers })).status

  it('are open to a scraper that calls directly', async () => {
    expect(await scrape()).toBe(200)
  })

  it.each([
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-port', '443'],
    ['x-forwarded-host', '127.0.0.1'],
    ['x-forwarded-server', 'proxy'],
    ['x-forwarded-prefix', '/svc'],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded', 'for=127.0.0.1'],
    ['forwarded', 'proto=https'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '127.0.0.1'],
    ['x-client-ip', '127.0.0.1'],
    ['x-cluster-client-ip', '127.0.0.1'],
    ['x-original-host', '127.0.0.1'],
    ['x-envoy-external-address', '127.0.0.1'],
    ['x-scheme', 'https'],
    ['front-end-https', 'on'],
    ['true-client-ip', '127.0.0.1'],
    ['cf-ray', '1'],
    ['cdn-loop', 'cloudflare'],
    ['x-remote-ip', '127.0.0.1'],
    ['x-remote-addr', '127.0.0.1'],
    ['x-originating-ip', '127.0.0.1'],
    ['x-forward-for', '127.0.0.1'],
    ['x-nf-client-connection-ip', '127.0.0.1'],
    ['x-sucuri-clientip', '127.0.0.1'],
    ['incap-client-ip', '127.0.0.1'],
    ['akamai-origin-hop', '1'],
    ['x-akamai-edgescape', 'x'],
    ['x-varnish', '1'],
    ['surrogate-capability', 'abc=ESI/1.0'],
    ['x-b3-traceid', '1'],
    ['tailscale-user-login', 'x'],
    ['proxy-connection', 'keep-alive'],
  ])('do not answer through a proxy that adds only %s, but to the operator', async (name, value) => {
    expect(await scrape({ [name]: value })).toBe(404)
    const authorization = `Bearer ${system.config.secrets.operatorToken}`
    expect(await scrape({ [name]: value, authorization })).toBe(200)
  })
})

it('OP-03 metrics do not answer to an address in SVC_TRUSTED_PROXIES without headers, but to the operator', async () => {
  await using system = await startSystem({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
  const scrape = async (headers: Record<string, string>) => (await fetch(`${system.url}/metrics`, { headers })).status
  expect(await scrape({})).toBe(404)
  expect(await scrape({ authorization: `Bearer ${system.config.secrets.operatorToken}` })).toBe(200)
})
