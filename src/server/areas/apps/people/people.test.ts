import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeApp, createApp, deleteApp, listApps, readApp } from '#contract/apps/apps.ts'
import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'
import { listAppPeople, removeAppPerson, setAppPerson } from '#contract/apps/people.ts'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { listAudit, removeMember } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import type { AppPart } from '#contract/core/roles.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let other: Person

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  other = await system.member('owner')
  await as(owner).call(createApp, { alias: 'shop' })
  await as(owner).call(createApp, { alias: 'second' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

const as = (person: Person) => system.client(person.token)
const give = (person: Person, part: AppPart, alias = 'shop') =>
  as(owner).call(setAppPerson, { alias, user_id: person.user_id, part })

describe('AU-07 MA-15 a viewer with a part in an app', () => {
  // biome-ignore format: the columns are the point
  it.each([
    //               read       environment change      delete      people
    ['builder',       'no error', 'no error', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
    ['maintainer',    'no error', 'no error', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
    ['administrator', 'no error', 'no error', 'no error', 'INVALID_REQUEST', 'NOT_FOUND'],
  ] as const)('%s', async (part, ...expected) => {
    const viewer = await system.member('viewer', owner.org_id)
    await give(viewer, part)
    const client = as(viewer)
    const outcomes = [
      await codeOf(client.call(readApp, { alias: 'shop' })),
      await codeOf(client.call(changeEnvironment, { alias: 'shop', set: { A: '1' } })),
      await codeOf(client.call(changeApp, { alias: 'shop', name: 'Shop' })),
      await codeOf(client.call(deleteApp, { alias: 'shop', confirm: 'other' })),
      await codeOf(client.call(removeAppPerson, { alias: 'shop', user_id: 'usr_none' })),
    ]
    expect(outcomes).toEqual(expected)
  })

  it('lists and reaches that app only', async () => {
    const viewer = await system.member('viewer', owner.org_id)
    expect((await as(viewer).call(listApps, {})).items).toEqual([])
    await give(viewer, 'builder')
    expect((await as(viewer).call(listApps, {})).items.map(({ alias }) => alias)).toEqual(['shop'])
    expect(await codeOf(as(viewer).call(readApp, { alias: 'second' }))).toBe('FORBIDDEN')
    expect(await codeOf(as(viewer).call(readEnvironment, { alias: 'second' }))).toBe('FORBIDDEN')
  })

  it('has it no more once it is removed', async () => {
    const viewer = await system.member('viewer', owner.org_id)
    await give(viewer, 'administrator')
    const { user_id } = viewer
    const removed = await as(owner).call(removeAppPerson, { alias: 'shop', user_id })
    expect(removed).toEqual({ user_id, removed: true })
    expect(await codeOf(as(viewer).call(readApp, { alias: 'shop' }))).toBe('FORBIDDEN')
    expect(await codeOf(as(owner).call(removeAppPerson, { alias: 'shop', user_id }))).toBe('NOT_FOUND')
  })
})

describe('MA-15 people of an app', () => {
  it('are listed with names, and the part replaces the former one', async () => {
    await as(owner).call(createApp, { alias: 'listed' })
    const member = await system.member('member', owner.org_id)
    const saved = await give(member, 'builder', 'listed')
    expect(saved).toEqual({
      user_id: member.user_id,
      display_name: member.email.split('@')[0],
      is_member: true,
      part: 'builder',
      added_at: expect.any(String),
    })
    await give(member, 'maintainer', 'listed')
    const { items } = await as(owner).call(listAppPeople, { alias: 'listed' })
    expect(items.map(({ user_id, part, is_member }) => [user_id, part, is_member])).toEqual([
      [owner.user_id, 'administrator', true],
      [member.user_id, 'maintainer', true],
    ])
  })

  it('are members of the organization: nobody else is given a part, and one who left is shown so', async () => {
    const members = (user_id: string) => as(owner).call(setAppPerson, { alias: 'listed', user_id, part: 'builder' })
    expect(await codeOf(members(other.user_id))).toBe('NOT_FOUND')
    expect(await codeOf(members('usr_none'))).toBe('NOT_FOUND')
    const leaver = await system.member('viewer', owner.org_id)
    await give(leaver, 'administrator', 'listed')
    await as(owner).call(removeMember, { org_id: owner.org_id, user_id: leaver.user_id })
    const { items } = await as(owner).call(listAppPeople, { alias: 'listed' })
    expect(items.find(({ user_id }) => user_id === leaver.user_id)).toMatchObject({
      display_name: null,
      is_member: false,
    })
    await as(owner).call(removeAppPerson, { alias: 'listed', user_id: leaver.user_id })
  })

  it('AU-07 a part in one organization gives nothing in another, also under the same alias', async () => {
    // The person is an administrator of `second` in their own organization and a viewer in this one.
    await as(other).call(createApp, { alias: 'second' })
    const here = { org_id: owner.org_id, email: other.email, role: 'viewer', name: 'second' } as const
    const { token } = await system.operator.call(adminCreateToken, here)
    system.secrets.push(token)
    expect(await codeOf(system.client(token).call(readApp, { alias: 'second' }))).toBe('FORBIDDEN')
    expect(await codeOf(as(other).call(readApp, { alias: 'second' }))).toBe('no error')
  })

  it('an app of another organization is not found', async () => {
    const client = as(other)
    const user_id = other.user_id
    expect(await codeOf(client.call(listAppPeople, { alias: 'listed' }))).toBe('NOT_FOUND')
    expect(await codeOf(client.call(setAppPerson, { alias: 'listed', user_id, part: 'builder' }))).toBe('NOT_FOUND')
    expect(await codeOf(client.call(removeAppPerson, { alias: 'listed', user_id }))).toBe('NOT_FOUND')
  })

  it('are 200 at most; who has a part can still get another', async () => {
    await as(owner).call(createApp, { alias: 'crowded' })
    await system.db.query(sql`
      insert into apps.people (app_id, user_id, part, added_by, added_at)
      select app.id, 'usr_' || n, 'builder', 'usr_x', now()
      from apps.apps app, generate_series(1, 199) as n
      where app.org_id = ${owner.org_id} and app.alias = 'crowded'`)
    const member = await system.member('member', owner.org_id)
    expect(await codeOf(give(member, 'builder', 'crowded'))).toBe('APP_LIMIT')
    expect(await codeOf(give(owner, 'builder', 'crowded'))).toBe('no error')
  })

  it('changes are in the audit log, and support sessions make none', async () => {
    const { items } = await as(owner).call(listAudit, { org_id: owner.org_id, limit: 100 })
    const actions = items.map(({ action }) => action)
    expect(actions).toContain('app.person_set')
    expect(actions).toContain('app.person_removed')
    const ask = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'test' }
    const { id, token } = await system.operator.call(startSupport, ask)
    await system.operator.call(elevateSupport, { id })
    const set = { alias: 'listed', user_id: owner.user_id, part: 'builder' } as const
    expect(await codeOf(system.client(token).call(setAppPerson, set))).toBe('FORBIDDEN')
    const { part: _, ...person } = set
    expect(await codeOf(system.client(token).call(removeAppPerson, person))).toBe('FORBIDDEN')
  })
})
