import { expect, it } from 'vitest'
import type { Principal } from '#contract/core/principal.ts'
import { createCheckedCallers } from './checked-callers.ts'

const agent: Principal = {
  kind: 'agent',
  id: 'grt_1',
  user_id: 'usr_1',
  org_id: 'org_1',
  role: 'viewer',
  scopes: ['datasources:read'],
  client_id: 'client-1',
  expires_at: null,
}
const request = () => new Request('http://service/')

function found(nowMs = () => 0) {
  const callers = createCheckedCallers(nowMs)
  const [incoming, inner] = [request(), request()]
  callers.found(incoming, agent)
  return { callers, incoming, inner }
}

it('AU-14 a caller is handed to one service, once', () => {
  const { callers, incoming, inner } = found()
  callers.pass({ request: incoming, principal: agent }, inner, 'api-gateway')
  expect(callers.take(inner, 'api-gateway')).toBe(agent)
  expect(callers.take(inner, 'api-gateway')).toBeUndefined()
  const second = request()
  callers.pass({ request: incoming, principal: agent }, second, 'api-gateway')
  expect(callers.take(second, 'api-gateway')).toBeUndefined()
})

it('AU-14 a caller is handed to no other service, and not as another principal', () => {
  const { callers, incoming, inner } = found()
  callers.pass({ request: incoming, principal: agent }, inner, 'api-gateway')
  expect(callers.take(inner, 'deploy-api')).toBeUndefined()
  expect(callers.take(inner, 'api-gateway')).toBeUndefined()
  const other = found()
  other.callers.pass({ request: other.incoming, principal: { ...agent } }, other.inner, 'api-gateway')
  expect(other.callers.take(other.inner, 'api-gateway')).toBeUndefined()
})

it('AU-14 an incoming request has no caller that a service would take', () => {
  const { callers, incoming } = found()
  expect(callers.take(incoming, 'mcp-server')).toBeUndefined()
})

it.each([
  [100, true],
  [101, false],
])('AU-14 a caller who was found %i ms ago: handed over is %s', (ms, isTaken) => {
  let now = 5_000
  const { callers, incoming, inner } = found(() => now)
  now += ms - 1
  callers.pass({ request: incoming, principal: agent }, inner, 'api-gateway')
  now += 1
  expect(callers.take(inner, 'api-gateway') !== undefined).toBe(isTaken)
})
