import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import type { Operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { sql } from '#lib/db/sql.ts'
import { callTool } from '#test/agents/mcp.ts'
import { type System, startSystem } from '#test/system.ts'

/** Operations for callers in an organization; the others take no support session at all. */
const ROUTES = OPERATIONS.flatMap((op) => (typeof op.access === 'object' ? [{ op, access: op.access }] : []))
const WRITES = ROUTES.filter(({ op }) => op.effect === 'write').map(({ op }) => [op.name, op] as const)
const OF_OWNERS = ROUTES.filter(({ access }) => access.role === 'owner').map(({ op }) => [op.name, op] as const)
const CLOSED = ROUTES.filter(({ access }) => access.support === 'refused').map(({ op }) => [op.name, op] as const)
/** Changes that elevated sessions may make: none runs code, mints a credential, opens a way out or shows more data. */
const ELEVATED = [
  'agents.revoke',
  'agents.revoke-connection',
  'checks.delete',
  'integrations.delete-email',
  'integrations.delete-webhook',
  'integrations.disconnect-chat',
  'integrations.disconnect-forum',
  'notifications.delete-subscription',
  'notifications.resend-delivery',
  'notifications.test-channel',
  'pipelines.delete',
  'tickets.file',
  'tickets.move',
  'tickets.reply',
]
const OF_OPERATORS = OPERATIONS.filter(({ access }) => access === 'operator').map((op) => [op.name, op] as const)

describe('a support session at every route', () => {
  let system: System
  let org: string
  let readOnly: string
  let elevated: string
  let recorded: number

  beforeAll(async () => {
    system = await startSystem({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
    org = (await system.member('owner')).org_id
    const input = { org_id: org, staff_email: 'sam@vendor.example', reason: 'ticket 7' }
    readOnly = (await system.operator.call(startSupport, input)).token
    const raised = await system.operator.call(startSupport, input)
    elevated = raised.token
    await system.operator.call(elevateSupport, { id: raised.id })
    recorded = await auditEntries()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const auditEntries = async () => {
    const [row] = await system.db.query<{ n: number }>(sql`select count(*)::int as n from svc.audit`)
    return row!.n
  }

  /** With an empty body: who may call is decided before the input is read. */
  async function call(op: Operation, token: string) {
    const path = op.path.replace('{org_id}', org).replaceAll(/\{\w+\}/g, 'none')
    const sendsBody = op.method !== 'GET' && op.method !== 'DELETE'
    const address = `203.0.113.${OPERATIONS.indexOf(op)}`
    const response = await fetch(`${system.url}${path}`, {
      method: op.method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'x-forwarded-for': address,
        ...(sendsBody && { 'content-type': 'application/json' }),
      },
      ...(sendsBody && { body: '{}' }),
    })
    const { code } = (await response.json().catch(() => ({}))) as { code?: string }
    return { status: response.status, code }
  }

  it('AU-18 the tests below cover routes of each kind', () => {
    expect(WRITES.length).toBeGreaterThan(15)
    expect(OF_OWNERS.length).toBeGreaterThan(5)
    expect(CLOSED.length).toBeGreaterThan(5)
    expect(OF_OPERATORS.length).toBeGreaterThan(5)
  })

  it('AU-18 every write of people says whether elevated sessions may call it, and few do', () => {
    const writes = ROUTES.filter(({ op, access }) => op.effect === 'write' && access.principals.includes('user'))
    const silent = writes.filter(({ access }) => access.support === undefined).map(({ op }) => op.name)
    expect(silent, 'say support: refused, or elevated if it is harmless').toEqual([])
    const allowed = ROUTES.filter(({ access }) => access.support === 'elevated').map(({ op }) => op.name)
    expect(allowed.toSorted()).toEqual(ELEVATED)
  })

  it.each(WRITES)('AU-18 a read-only session is refused at the write %s', async (_, op) => {
    const { status, code } = await call(op, readOnly)
    expect(status).toBe(403)
    expect(['FORBIDDEN', 'READ_ONLY_SESSION']).toContain(code)
  })

  it.each(OF_OWNERS)('AU-18 an elevated session is not an owner: %s', async (_, op) => {
    expect(await call(op, elevated)).toEqual({ status: 403, code: 'FORBIDDEN' })
  })

  it.each(CLOSED)('AU-18 a session is refused, elevated or not, where support is not admitted: %s', async (_, op) => {
    expect(await call(op, elevated)).toEqual({ status: 403, code: 'FORBIDDEN' })
    expect((await call(op, readOnly)).status).toBe(403)
  })

  it.each(WRITES)('AU-18 an elevated session is refused at every other write: %s', async (name, op) => {
    const { status, code } = await call(op, elevated)
    if (ELEVATED.includes(name)) expect([400, 404]).toContain(status)
    else expect([status, code]).toEqual([403, 'FORBIDDEN'])
  })

  it.each(OF_OPERATORS)('AU-18 a session is refused at operator endpoints: %s', async (_, op) => {
    expect(await call(op, elevated)).toEqual({ status: 401, code: 'INVALID_TOKEN' })
  })

  it('AU-18 over MCP a read-only session marks nothing as read', async () => {
    const { status, body } = await callTool(`${system.url}/mcp/notifications`, readOnly, 'notifications_ack', {
      id: 'ntf_none',
    })
    expect([status, body.result?.isError]).toEqual([200, true])
    const text = 'FORBIDDEN: Support sessions may not use this operation.'
    expect(body.result?.content).toEqual([{ type: 'text', text }])
  })

  it('AU-18 none of these refusals changed or recorded anything', async () => {
    expect(await auditEntries()).toBe(recorded)
  })

  it('AU-18 an elevated session reads and writes what an admin may, and is recorded as the creator', async () => {
    const byName = (name: string) => OPERATIONS.find((op) => op.name === name)!
    expect((await call(byName('members.list'), elevated)).status).toBe(200)
    expect((await call(byName('members.list'), readOnly)).status).toBe(403)
    // Past the gate, where the empty body is refused.
    expect(await call(byName('tickets.file'), elevated)).toEqual({ status: 400, code: 'INVALID_REQUEST' })
    expect((await call(byName('tickets.file'), readOnly)).status).toBe(403)
  })
})
