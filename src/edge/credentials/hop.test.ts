import { describe, expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { addressList, clientAddress, createInfoReader } from '../listen/request-info.ts'
import type { RequestInfo } from '../route/route.ts'
import { createHops } from './hop.ts'

const SECRET = 'ab'.repeat(32)
const INFO: RequestInfo = { clientAddress: '203.0.113.9', requestId: 'req_1', via: 'mcp', direct: false }

describe('the header that one of our processes sends to the next', () => {
  it('is read unchanged for the same method and path', () => {
    const hops = createHops(SECRET, testClock())
    const header = hops.sign('POST', 'http://a/x?y=1', INFO)
    expect(hops.verify(header, 'POST', 'http://b:99/x?y=1')).toEqual(INFO)
  })

  it('is ignored for another method, path or secret, and if it was changed or is old', () => {
    const clock = testClock()
    const hops = createHops(SECRET, clock)
    const header = hops.sign('POST', 'http://a/x', INFO)
    expect(hops.verify(header, 'GET', 'http://a/x')).toBeUndefined()
    expect(hops.verify(header, 'POST', 'http://a/y')).toBeUndefined()
    expect(createHops('cd'.repeat(32), clock).verify(header, 'POST', 'http://a/x')).toBeUndefined()
    const [version, time, , mac] = header.split('.')
    const other = Buffer.from(JSON.stringify(['10.0.0.1', 'req_1', 'mcp'])).toString('base64url')
    expect(hops.verify([version, time, other, mac].join('.'), 'POST', 'http://a/x')).toBeUndefined()
    for (const junk of ['', 'v1', 'v1...', 'v1.x.y.z', 'null']) {
      expect(hops.verify(junk, 'POST', 'http://a/x')).toBeUndefined()
    }
    clock.advance(61_000)
    expect(hops.verify(header, 'POST', 'http://a/x')).toBeUndefined()
  })
})

describe('the end client’s address', () => {
  const trusted = addressList(['10.0.0.0/8', 'fd00::/8', '192.0.2.1'])

  it.each([
    ['a stranger’s word is not taken', '198.51.100.1', '1.2.3.4', '198.51.100.1'],
    ['a trusted proxy’s word is', '10.1.1.1', '1.2.3.4', '1.2.3.4'],
    ['only the part trusted proxies wrote', '10.1.1.1', '6.6.6.6, 1.2.3.4, 10.2.2.2', '1.2.3.4'],
    ['all trusted: the farthest', '10.1.1.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
    ['junk stops the walk', '10.1.1.1', '1.2.3.4, unknown', '10.1.1.1'],
    ['ports and brackets', '10.1.1.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['IPv6 proxies', 'fd00::1', '2001:db8::2', '2001:db8::2'],
    ['a single address', '192.0.2.1', '1.2.3.4:5678', '1.2.3.4'],
  ])('%s', (_, socket, forwarded, address) => {
    expect(clientAddress(socket, forwarded, trusted)).toBe(address)
  })

  const read = createInfoReader({ trustedProxies: trusted, hops: createHops(SECRET, testClock()) })
  const ask = (sent: Record<string, string>, socket = '127.0.0.1') => {
    const headers: Record<string, string> = { host: '127.0.0.1:8080', ...sent }
    return read({ method: 'GET', url: 'http://x/', headers }, socket)
  }

  it('IPv4 in IPv6 sockets is IPv4', () => {
    expect(ask({}, '::ffff:198.51.100.1').clientAddress).toBe('198.51.100.1')
  })

  it('the CLI names itself as the source, and only our own MCP service can name mcp', () => {
    expect(ask({ 'x-svc-client': 'cli' }).via).toBe('cli')
    expect(ask({ 'x-svc-client': 'mcp' }).via).toBe('api')
    expect(ask({ 'x-svc-hop': 'v1.1.x.y' }).via).toBe('api')
  })

  it('a direct request has a private address and came through no proxy', () => {
    expect(ask({}).direct).toBe(true)
    expect(ask({}, '::1').direct).toBe(true)
    expect(ask({}, '198.51.100.1').direct).toBe(false)
    expect(ask({ 'x-forwarded-for': '1.2.3.4' }).direct).toBe(false)
    expect(ask({ forwarded: 'for=1.2.3.4' }).direct).toBe(false)
    expect(ask({ via: '1.1 proxy' }).direct).toBe(false)
    expect(ask({ 'x-svc-hop': 'v1.1.x.y' }).direct).toBe(false)
    expect(ask({ host: 'localhost' }).direct).toBe(true)
    expect(ask({ host: 'evil.example' }).direct).toBe(false)
  })

  it('OP-09 an app of this machine is not direct, so that it cannot read metrics, and vouches for no address', () => {
    const trustedProxies = addressList(['127.0.0.0/8'])
    const trusting = createInfoReader({ trustedProxies, hops: createHops(SECRET, testClock()) })
    for (const address of ['127.64.0.1', '127.100.3.4', '127.127.255.254']) {
      expect(ask({}, address).direct).toBe(false)
      const head = { method: 'GET', url: 'http://x/', headers: { 'x-forwarded-for': '203.0.113.1' } }
      expect(trusting(head, address).clientAddress).toBe(address)
    }
    expect(ask({}, '127.63.255.255').direct).toBe(true)
  })
})
