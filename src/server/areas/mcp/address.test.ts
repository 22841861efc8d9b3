import { describe, expect, it } from 'vitest'
import { metadataUrl, seenAs, toOwnPath } from './address.ts'

const OWN = 'http://127.0.0.1:8080/mcp'
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

describe('the addresses of the endpoints', () => {
  it.each([
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/mcp'],
    ['localhost:8080', 'http://localhost:8080/mcp'],
    ['[::1]:8080', 'http://[::1]:8080/mcp'],
    ['LocalHost:8080', 'http://localhost:8080/mcp'],
    ['localhost', OWN],
    ['localhost:9090', OWN],
    ['127.0.0.2:8080', OWN],
    ['evil.example:8080', OWN],
    ['localhost:8080@evil.example', OWN],
    ['a b', OWN],
    ['', OWN],
    [null, OWN],
  ])('AU-10 a caller who named %s sees %s', (host, url) => {
    expect(seenAs(OWN, host)).toBe(url)
  })

  it('AU-10 a host that is not the machine’s own has one name', () => {
    expect(seenAs('http://0.0.0.0:8080/mcp', 'localhost:8080')).toBe('http://0.0.0.0:8080/mcp')
    expect(seenAs('https://mcp.example.com', 'localhost')).toBe('https://mcp.example.com')
  })

  it('AU-10 the well-known part stands before the path', () => {
    expect(metadataUrl('https://mcp.example.com/platform')).toBe(`https://mcp.example.com${WELL_KNOWN}/platform`)
    expect(metadataUrl('http://127.0.0.1:8080/mcp/platform')).toBe(`http://127.0.0.1:8080${WELL_KNOWN}/mcp/platform`)
  })

  it.each([
    ['https://mcp.example.com', '/platform', '/mcp/platform'],
    ['https://mcp.example.com', '/mcp/platform', '/mcp/platform'],
    ['https://mcp.example.com', `${WELL_KNOWN}/platform`, `${WELL_KNOWN}/mcp/platform`],
    ['https://mcp.example.com', WELL_KNOWN, WELL_KNOWN],
    ['https://mcp.example.com', '/', '/'],
    ['https://mcp.example.com', '/healthz', '/healthz'],
    ['https://mcp.example.com', '/platform/x', '/platform/x'],
    ['https://example.com/a/b', '/a/b/platform', '/mcp/platform'],
    ['https://example.com/a/b', `${WELL_KNOWN}/a/b/platform`, `${WELL_KNOWN}/mcp/platform`],
    ['https://example.com/a/b', '/a/platform', '/a/platform'],
    ['https://example.com/mcp', '/platform', '/platform'],
  ])('under %s the path %s is %s', (mcpUrl, path, own) => {
    expect(toOwnPath(path, mcpUrl)).toBe(own)
  })
})
