import { describe, expect, it } from 'vitest'
import { isAllowedRedirect, isAllowedReturn } from './return-to.ts'

const ALLOWED = ['https://app.base.com', 'https://docs.base.com/team', 'http://localhost:3000']

describe('AU-05 where people are sent after signing in', () => {
  it.each([
    ['/', true],
    ['/a/b?c=d#e', true],
    ['/a?u=https://evil.test', true],
    ['https://app.base.com', true],
    ['https://app.base.com/x?y', true],
    ['HTTPS://APP.BASE.COM/x', true],
    ['https://app.base.com:443/x', true],
    ['http://localhost:3000/x', true],
    ['https://docs.base.com/team', true],
    ['https://docs.base.com/team/x', true],
    ['', false],
    ['a', false],
    ['//evil.test', false],
    ['/\\evil.test', false],
    ['\\\\evil.test', false],
    ['/\t/evil.test', false],
    ['/\n/evil.test', false],
    [' //evil.test', false],
    ['https://app.base.com.evil.test', false],
    ['https://app.base.com@evil.test', false],
    ['https://app.base.com:pw@evil.test/', false],
    ['https://user@app.base.com/', false],
    ['https://evil.test/https://app.base.com', false],
    ['http://app.base.com', false],
    ['https://app.base.com:8443', false],
    ['https:/evil.test', false],
    ['https:evil.test', false],
    ['https://sub.app.base.com', false],
    ['https://docs.base.com', false],
    ['https://docs.base.com/teammates', false],
    ['https://docs.base.com/team/../other', false],
    ['http://localhost:3001/', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
  ])('%j: %s', (target, allowed) => {
    expect(isAllowedReturn(target, ALLOWED)).toBe(allowed)
  })

  it.each([
    ['https://app.base.com/auth/hosted/callback', true],
    ['https://docs.base.com/team/auth/hosted/callback', true],
    ['https://app.base.com/auth/hosted/callback?next=evil', false],
    ['https://app.base.com/auth/hosted/callback/', false],
    ['https://app.base.com/other', false],
    ['https://app.base.com.evil.test/auth/hosted/callback', false],
    ['/auth/hosted/callback', false],
  ])('a code goes to %j: %s', (target, allowed) => {
    expect(isAllowedRedirect(target, ALLOWED)).toBe(allowed)
  })
})
