import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  adminDeletePerson,
  adminListDeletions,
  adminUndoDeletion,
  deleteOrg,
  readOrgDeletion,
  undoOrgDeletion,
} from '#contract/auth/deletions.ts'
import { listAudit, me, readOrg } from '#contract/auth/members.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const DAY_MS = 24 * 60 * 60_000

describe('deletions of organizations and people', () => {
  const clock = testClock(new Date('2031-05-06T07:00:00Z'))
  let system: System
  let owner: Awaited<ReturnType<System['member']>>
  let slug: string
  beforeAll(async () => {
    system = await startSystem({ clock })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    owner = await system.member('owner')
    slug = (await system.client(owner.token).call(readOrg, { org_id: owner.org_id })).slug
  })

  const remove = (confirm = slug) => system.client(owner.token).call(deleteOrg, { org_id: owner.org_id, confirm })
  const undo = () => system.client(owner.token).call(undoOrgDeletion, { org_id: owner.org_id })
  const listed = async (id: string) =>
    (await system.operator.call(adminListDeletions, {})).items.find((item) => item.id === id)
  const pass = async (ms: number) => {
    clock.advance(ms)
    await notify(system.db, 'svc_deletions')
  }

  it('OP-08 an owner deletes the organization by its slug, a second request keeps the first date, and every member sees it', async () => {
    const dueAt = new Date(clock.now().getTime() + 7 * DAY_MS).toISOString()
    await expect(remove('another')).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: `confirm: must be the slug of the organization, ${slug}`,
    })
    expect((await remove()).deletion).toMatchObject({ due_at: dueAt })
    clock.advance(DAY_MS)
    expect((await remove()).deletion).toMatchObject({ due_at: dueAt })
    const viewer = await system.member('viewer', owner.org_id)
    const { deletion } = await system.client(viewer.token).call(readOrgDeletion, { org_id: owner.org_id })
    expect(deletion).toMatchObject({ due_at: dueAt })
    const { items } = await system.client(owner.token).call(listAudit, { org_id: owner.org_id })
    expect(items.filter(({ action }) => action === 'org.deletion_requested')).toHaveLength(1)
  })

  it('OP-08 for a week nothing changes and an owner or the operator undoes the deletion, which then never happens', async () => {
    await remove()
    await pass(7 * DAY_MS - 1)
    expect(await undo()).toEqual({ undone: true })
    await expect(undo()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await remove()
    expect(await system.operator.call(adminUndoDeletion, { id: owner.org_id })).toEqual({ undone: true })
    await pass(8 * DAY_MS)
    const other = await system.member('owner')
    const otherSlug = (await system.client(other.token).call(readOrg, { org_id: other.org_id })).slug
    await system.client(other.token).call(deleteOrg, { org_id: other.org_id, confirm: otherSlug })
    await pass(8 * DAY_MS)
    await until(async () => (await listed(other.org_id))?.begun_at !== null)
    expect(await listed(owner.org_id)).toBeUndefined()
    expect((await system.client(owner.token).call(me, {})).role).toBe('owner')
  })

  it('OP-08 when the week is over every access ends at once, and nobody can undo it', async () => {
    await remove()
    await pass(7 * DAY_MS)
    await until(async () => (await listed(owner.org_id))?.begun_at !== null)
    await expect(system.client(owner.token).call(me, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(system.operator.call(adminUndoDeletion, { id: owner.org_id })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The deletion has begun, so it cannot be undone any more.',
    })
    expect(await listed(owner.org_id)).toMatchObject({ ended_at: null })
  })

  it('OP-08 the last owner of an organization is not deleted, neither on request nor when the week is over', async () => {
    const last = {
      code: 'LAST_OWNER',
      message: `The person is the last owner of the organization ${owner.org_id}. Make another member an owner, or delete the organization, first.`,
    }
    const request = () => system.operator.call(adminDeletePerson, { email: owner.email })
    await expect(request()).rejects.toMatchObject(last)
    const second = await system.member('owner', owner.org_id)
    expect(await request()).toMatchObject({ id: owner.user_id, kind: 'person', begun_at: null })
    await system.operator.call(adminDeletePerson, { email: second.email })
    await pass(7 * DAY_MS)
    await until(async () => (await listed(owner.user_id))?.ended_at !== null)
    expect(await listed(second.user_id)).toMatchObject({ begun_at: null, ended_at: null })
    expect((await system.client(second.token).call(me, {})).role).toBe('owner')
  })

  it('OP-08 a person who is not there cannot be deleted', async () => {
    const unknown = system.operator.call(adminDeletePerson, { email: 'nobody@example.net' })
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('OP-08 owners and the person get one mail about the deletion that concerns them', async () => {
    const second = await system.member('owner', owner.org_id)
    await remove()
    await remove()
    await system.operator.call(adminDeletePerson, { email: second.email })
    await pass(0)
    await until(async () => (await mailsTo(owner.email)) === 1 && (await mailsTo(second.email)) === 2)
  })

  it('OP-08 those who were mailed about a deletion are mailed when it is undone', async () => {
    const second = await system.member('owner', owner.org_id)
    await remove()
    await pass(0)
    await until(async () => (await mailsTo(owner.email)) === 1 && (await mailsTo(second.email)) === 1)
    await undo()
    expect([await mailsTo(owner.email), await mailsTo(second.email)]).toEqual([2, 2])
    await system.operator.call(adminDeletePerson, { email: second.email })
    await pass(0)
    await until(async () => (await mailsTo(second.email)) === 3)
    await system.operator.call(adminUndoDeletion, { id: second.user_id })
    expect(await mailsTo(second.email)).toBe(4)
  })

  async function mailsTo(email: string): Promise<number> {
    const [row] = await system.db.query<{ count: number }>(sql`
      select count(*)::int as count from notifications.deliveries
      where message_key like 'deletion:%' and destination_key like ${`%:${email}`}`)
    return row!.count
  }
})
