import { describe, expect, it } from 'vitest'
import { readConnector } from './connector.ts'
import { EnvironmentReader } from './reader.ts'

function read(value?: string) {
  const reader = new EnvironmentReader(value === undefined ? {} : { SVC_REDIRECT_SCHEMES: value })
  return { uris: readConnector(reader).redirectSchemes, faults: reader.faults }
}

describe('redirect URIs of programs', () => {
  it.each([
    [undefined, ['cursor://anysphere.cursor-mcp/oauth/callback']],
    ['', []],
    ['vscode://vendor.extension/cb', ['vscode://vendor.extension/cb']],
    // The form of RFC 8252 section 7.1.
    ['com.example.app:/oauth2redirect/example', ['com.example.app:/oauth2redirect/example']],
    ['com.example.app:/cb, cursor://a.b/cb', ['com.example.app:/cb', 'cursor://a.b/cb']],
  ])('AU-12 %s is accepted', (value, uris) => {
    expect(read(value)).toEqual({ uris, faults: [] })
  })

  it.each([
    'cursor',
    'cursor:',
    'cursor://',
    'cursor:/cb',
    'cursor:cb',
    'com.example.app:cb',
    'com.example.app:',
    'cursor://a.b/*',
    'cursor://a.b/cb#x',
    'cursor://a.b/cb#',
    'Cursor://a.b/cb',
    'cursor://user@a.b/cb',
    'cursor://:password@a.b/cb',
    'cursor://user:password@a.b/cb',
    'https://a.example/cb',
    'http://127.0.0.1/cb',
    'javascript:/cb',
    'data:/text',
    'file:///cb',
  ])('AU-12 %s is one fault', (value) => {
    const { faults } = read(value)
    expect(faults).toEqual([expect.stringContaining('SVC_REDIRECT_SCHEMES must list whole addresses')])
    expect(faults[0]).not.toContain('password@')
  })
})
