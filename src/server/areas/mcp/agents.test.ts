import { expect, it } from 'vitest'
import { createAgents } from './agents.ts'

const RESOURCE = { issuer: 'https://svc.test', url: 'https://svc.test/mcp/notifications', scopes: [] }
const INFO = { clientAddress: '198.51.100.1', requestId: 'req_1', via: 'mcp', direct: false } as const
const CLAIMS = { grantId: 'grt_1', userId: 'usr_1', clientId: 'agent', scopes: ['notifications:read'] }

it.each([
  ['its access token', '2026-06-01T12:00:00.000Z', '2026-06-01T12:00:00.000Z'],
  ['its approval, if that ends before', '2026-09-01T00:00:00.000Z', '2026-08-30T00:00:00.000Z'],
])('NO-16 an agent is admitted until the expiry of %s', async (_, tokenEnd, expected) => {
  const agents = createAgents({
    read: () => ({ ...CLAIMS, expiresAt: new Date(tokenEnd) }),
    sign: () => 'assertion',
    validate: async () => ({
      kind: 'agent',
      id: 'grt_1',
      user_id: 'usr_1',
      org_id: 'org_1',
      role: 'viewer',
      scopes: ['notifications:read'],
      expires_at: '2026-08-30T00:00:00.000Z',
    }),
  })
  const admitted = await agents.admit('token', RESOURCE, INFO)
  expect(admitted).toMatchObject({ id: 'grt_1', expires_at: expected })
})
