import { expect, it } from 'vitest'
import type { Principal } from '#contract/core/principal.ts'
import { refuseOtherSession } from './expected-session.ts'

const principal: Principal = {
  kind: 'user',
  id: 'ses_1',
  user_id: 'usr_1',
  org_id: 'org_1',
  role: 'viewer',
  scopes: [],
  expires_at: null,
}

it.each<[string, string | undefined, string]>([
  ['a request that names no session passes', undefined, 'pass'],
  ['the same person in the same organization passes', 'usr_1 org_1', 'pass'],
  ['the same person in another organization is refused', 'usr_1 org_2', 'SESSION_CHANGED'],
  ['another person in the same organization is refused', 'usr_2 org_1', 'SESSION_CHANGED'],
  ['no organization where there is one is refused', 'usr_1 -', 'SESSION_CHANGED'],
  ['something that is no session is refused', 'x', 'SESSION_CHANGED'],
])('CO-01 %s', (_, session, expected) => {
  const request = new Request(
    'http://127.0.0.1/',
    session === undefined ? {} : { headers: { 'x-svc-session': session } },
  )
  const decide = () => {
    try {
      refuseOtherSession(request, principal)
      return 'pass'
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  expect(decide()).toBe(expected)
})

it('CO-01 a person without an organization is named with a dash', () => {
  const request = new Request('http://127.0.0.1/', { headers: { 'x-svc-session': 'usr_1 -' } })
  expect(() => refuseOtherSession(request, { ...principal, org_id: null })).not.toThrow()
})
