import { describe, expect, it } from 'vitest'
import { isSameOrigin } from './csrf.ts'

const PUBLIC = 'https://app.base.com/sub'

describe('a write by cookie comes from our own pages', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['the browser says so', { 'sec-fetch-site': 'same-origin' }, true],
    ['whatever Origin says then', { 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
    ['another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['another site that names our address', { 'sec-fetch-site': 'cross-site', origin: 'https://app.base.com' }, false],
    ['a neighbouring host', { 'sec-fetch-site': 'same-site' }, false],
    ['a neighbouring host that names ours', { 'sec-fetch-site': 'same-site', origin: 'http://inside:8080' }, false],
    ['a value nobody knows', { 'sec-fetch-site': 'same-planet' }, false],
    ['typed by hand, without Origin', { 'sec-fetch-site': 'none' }, false],
    ['typed by hand, with our Origin', { 'sec-fetch-site': 'none', origin: 'https://app.base.com' }, true],
    ['no word at all', {}, false],
    ['only our public Origin', { origin: 'https://app.base.com' }, true],
    ['only the Origin that was asked', { origin: 'http://inside:8080' }, true],
    ['only a foreign Origin', { origin: 'https://evil.test' }, false],
    ['an Origin that begins like ours', { origin: 'https://app.base.com.evil.test' }, false],
    ['our Origin on plain http', { origin: 'http://app.base.com' }, false],
    ['our Origin on another port', { origin: 'https://app.base.com:8443' }, false],
    ['an opaque Origin', { origin: 'null' }, false],
    ['an empty Origin', { origin: '' }, false],
  ])('%s', (_, headers, expected) => {
    const request = new Request('http://inside:8080/api/v1/orgs', { method: 'POST', headers })
    expect(isSameOrigin(request, PUBLIC)).toBe(expected)
  })

  it('without a public address only the one that was asked counts', () => {
    const from = (origin: string) => new Request('http://127.0.0.1:8080/x', { method: 'POST', headers: { origin } })
    expect(isSameOrigin(from('http://127.0.0.1:8080'), undefined)).toBe(true)
    expect(isSameOrigin(from('http://localhost:8080'), undefined)).toBe(false)
  })
})
