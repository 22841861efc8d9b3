import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAudit, listMembers, me, renameOrg } from '#contract/auth/members.ts'
import { elevateSupport, endSupport, listSupport, startSupport } from '#contract/auth/support.ts'
import { createToken } from '#contract/auth/tokens.ts'
import { EVENTS } from '#contract/core/events.ts'
import { addEmail, deleteEmail } from '#contract/notifications/email.ts'
import { testClock } from '#lib/time/clock.ts'
import { eventsOf } from '#test/deliveries/events.ts'
import { type System, startSystem } from '#test/system.ts'

describe('AU-18 support access', () => {
  const clock = testClock(new Date())
  let system: System
  let owner: Awaited<ReturnType<System['member']>>
  beforeAll(async () => {
    system = await startSystem({ clock })
    owner = await system.member('owner')
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const start = () =>
    system.operator.call(startSupport, { org_id: owner.org_id, staff_email: 'sam@vendor.example', reason: 'ticket 7' })
  const events = () => eventsOf(system.db, owner.org_id)

  it('starts read-only as viewer, is elevated to admin and never to owner, and ends at once', async () => {
    const { token, id } = await start()
    const staff = system.client(token)
    expect(await staff.call(me, {})).toMatchObject({
      role: 'viewer',
      read_only: true,
      user: null,
      org: { id: owner.org_id },
    })
    await expect(staff.call(listMembers, { org_id: owner.org_id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await system.operator.call(elevateSupport, { id })
    expect(await staff.call(me, {})).toMatchObject({ role: 'admin', read_only: false })
    expect((await staff.call(listMembers, { org_id: owner.org_id })).items).toHaveLength(1)
    await expect(staff.call(listAudit, { org_id: owner.org_id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(staff.call(createToken, { name: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await system.operator.call(endSupport, { id })
    await expect(staff.call(me, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(system.operator.call(elevateSupport, { id })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('NO-02 emits an event when it starts and one when it is elevated, and both are in the audit trail', async () => {
    const [session] = (await system.client(owner.token).call(listSupport, { org_id: owner.org_id })).items
    const body = { actor_id: null, support_session_id: session!.id }
    expect(await events()).toEqual([
      { type: 'org.support_access.started', occurred_at: clock.now(), body: { ...body, status: 'read_only' } },
      { type: 'org.support_access.elevated', occurred_at: clock.now(), body: { ...body, status: 'read_write' } },
    ])
    const { items } = await system.client(owner.token).call(listAudit, { org_id: owner.org_id, limit: 3 })
    expect(items.map(({ action }) => action)).toEqual(['support.ended', 'support.elevated', 'support.started'])
    expect(items[2]!.detail).toEqual({ staff_email: 'sam@vendor.example', reason: 'ticket 7' })
  })

  it('an admin reads the part of the audit log about support access, where the mail of the event leads', async () => {
    const admin = await system.member('admin', owner.org_id)
    const channel = await system.client(owner.token).call(addEmail, { address: owner.email })
    const { id, token } = await start()
    await system.operator.call(elevateSupport, { id })
    system.secrets.push(token)
    await system.client(token).call(deleteEmail, { id: channel.id })
    await system.client(owner.token).call(renameOrg, { org_id: owner.org_id, name: 'Renamed' })
    const read = async (by: { token: string }) =>
      (await system.client(by.token).call(listAudit, { org_id: owner.org_id, limit: 4 })).items
    const entries = await read(admin)
    expect(entries.slice(0, 3).map(({ action, actor }) => [action, actor])).toEqual([
      ['email.deleted', `sam@vendor.example (${id})`],
      ['support.elevated', 'operator'],
      ['support.started', 'operator'],
    ])
    expect((await read(owner))[0]!.action).toBe('org.renamed')
    const link = EVENTS['org.support_access.started'].link({} as never)
    expect(link).toBe('/settings/organization/audit')
    for (const role of ['developer', 'member', 'viewer'] as const) {
      await expect(read(await system.member(role, owner.org_id))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    }
    await expect(read({ token })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await system.operator.call(endSupport, { id })
  })

  it('NO-02 emits one event if it is elevated twice', async () => {
    const before = (await events()).length
    const { id } = await start()
    await system.operator.call(elevateSupport, { id })
    await system.operator.call(elevateSupport, { id })
    expect(await events()).toHaveLength(before + 2)
  })

  it('ends after an hour, whatever happens', async () => {
    const { token, id } = await start()
    clock.advance(60 * 60_000)
    await expect(system.client(token).call(me, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(system.operator.call(elevateSupport, { id })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('is listed for owners with staff member, time and reason; an unknown organization is 404', async () => {
    const { items } = await system.client(owner.token).call(listSupport, { org_id: owner.org_id })
    expect(items[0]).toMatchObject({ staff_email: 'sam@vendor.example', reason: 'ticket 7', ended_at: null })
    expect(JSON.stringify(items)).not.toMatch(/svcp_|hash/)
    const nowhere = system.operator.call(startSupport, { org_id: 'org_none', staff_email: 's@x.example', reason: 'r' })
    await expect(nowhere).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
