import { describe, expect, it } from 'vitest'
import { tokenOf } from './caller.ts'
import { createCookies, readCookie } from './cookies.ts'

describe('cookies', () => {
  it('are Secure with the __Host- prefix on https, and plain without it', () => {
    expect(createCookies('https://a.test').set('session', 'v', 60)).toBe(
      '__Host-svc_session=v; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60',
    )
    expect(createCookies('http://localhost:1').set('flow', 'v')).toBe('svc_flow=v; Path=/; HttpOnly; SameSite=Lax')
  })

  it('without the prefix are ignored on https, because a neighbouring host could have set them', () => {
    expect(createCookies('https://a.test').session).toEqual(['__Host-svc_session'])
    expect(createCookies('http://localhost').session).toEqual(['svc_session'])
    expect(createCookies(undefined).session).toEqual(['__Host-svc_session', 'svc_session'])
  })

  it.each([
    ['', undefined],
    ['a=1', '1'],
    ['b=2; a=1', '1'],
    ['a=1; a=2', '1'],
    ['xa=1', undefined],
    ['a=', undefined],
    ['a', undefined],
    ['=1; a=x=y', 'x=y'],
  ])('%j', (cookie, value) => {
    expect(readCookie(new Request('http://x', { headers: { cookie } }), ['a'])).toBe(value)
  })
})

describe('who calls', () => {
  const from = (headers: Record<string, string>) => tokenOf(new Request('http://x', { headers }), ['svc_session'])
  it.each<[string, Record<string, string>, string | undefined]>([
    ['the header', { authorization: 'Bearer t' }, 't'],
    ['the cookie', { cookie: 'svc_session=c' }, 'c'],
    ['the header over the cookie', { authorization: 'Bearer t', cookie: 'svc_session=c' }, 't'],
    ['nobody by a header that cannot be read', { authorization: 'Basic x', cookie: 'svc_session=c' }, undefined],
    ['nobody by another cookie', { cookie: 'session=c' }, undefined],
    ['nobody', {}, undefined],
  ])('%s', (_, headers, token) => {
    expect(from(headers)).toBe(token)
  })
})
