import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { changeEnvironment } from '#contract/apps/environment.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { adminDeletePerson, adminListDeletions, deleteOrg } from '#contract/auth/deletions.ts'
import { createInvitation, me } from '#contract/auth/members.ts'
import { adminSetDomains, startSupport } from '#contract/auth/support.ts'
import { createCheck } from '#contract/checks/checks.ts'
import { querySource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase } from '#contract/databases.ts'
import { addEmail } from '#contract/notifications/email.ts'
import { setFollow } from '#contract/notifications/follows.ts'
import { changeNotificationSettings } from '#contract/notifications/settings.ts'
import { createSubscription } from '#contract/notifications/subscriptions.ts'
import { fileTicket, replyToTicket } from '#contract/tickets.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { findInFiles } from '#test/canary.ts'
import { fillTables } from '#test/leaving/fill-tables.ts'
import { findInTables, tablesWith } from '#test/leaving/find-text.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const DAY_MS = 24 * 60 * 60_000
/** In no word of the product, so that wherever it is found somebody was named. */
const MARK = 'qwertzuiop'
const EMAIL = `ada.${MARK}@example.net`

describe('an organization and a person are deleted', () => {
  const clock = testClock(new Date('2031-05-06T07:00:00Z'))
  let system: System
  beforeAll(async () => {
    system = await startSystem({ clock })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('OP-08 nothing names a deleted organization but the rows that the guide lists', async () => {
    const { operator, db } = system
    const org = await operator.call(adminCreateOrg, { name: `Acme ${MARK}`, admin_email: EMAIL, admin_name: MARK })
    await fill(org)
    const missing = async () => {
      const filled = await findInTables(db, org.id)
      return (await tablesWith(db, 'org_id')).filter((table) => !filled.includes(table))
    }
    const [app] = await db.query<{ id: string }>(sql`select id from apps.apps where org_id = ${org.id}`)
    await fillTables(db, await missing(), {
      text: MARK,
      values: { org_id: org.id, user_id: org.owner!.user_id, app_id: app!.id },
    })
    expect(await missing()).toEqual([])

    const owner = await tokenOf(org.id, EMAIL, 'owner')
    await system.client(owner).call(deleteOrg, { org_id: org.id, confirm: org.slug })
    await pass(7 * DAY_MS)
    await until(async () => (await deletion(org.id))?.begun_at !== null)
    await expect(system.client(owner).call(me, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await until(
      async () => (await db.query(sql`select from databases.databases where org_id = ${org.id}`)).length === 0,
    )
    await pass(2 * 60 * 60_000)
    await until(async () => (await deletion(org.id))?.ended_at !== null)

    expect(await findInTables(db, org.id)).toEqual(['auth.deletions', 'svc.audit'])
    // The owner and their session go on: they can be a member elsewhere.
    expect(await findInTables(db, MARK)).toEqual(['auth.sessions', 'auth.users'])
    expect(findInFiles(system.config.dataDir, [MARK])).toEqual([])
    expect(system.logs.filter((line) => line.includes(MARK))).toEqual([])
  })

  it('OP-08 nothing names a deleted person, and what they did stays with the organization by their id', async () => {
    const { operator, db } = system
    const org = await operator.call(adminCreateOrg, { name: 'Stays', admin_email: 'stays@example.net' })
    const { user_id: id } = await person(org.id)
    await fill(org)
    const missing = async () => {
      const filled = await findInTables(db, id)
      return (await tablesWith(db, 'user_id')).filter((table) => !filled.includes(table))
    }
    const values = { org_id: org.id, user_id: id, address: EMAIL, recipient: EMAIL, email: EMAIL }
    await fillTables(db, await missing(), { text: 'x', values })
    expect(await missing()).toEqual([])

    await operator.call(adminDeletePerson, { email: EMAIL })
    await pass(7 * DAY_MS)
    await until(async () => (await deletion(id))?.ended_at !== null)

    expect(await findInTables(db, EMAIL)).toEqual([])
    expect(await findInTables(db, id)).toEqual([
      'activity.records',
      'apps.apps',
      'apps.environment',
      'auth.deletions',
      'checks.checks',
      'notifications.default_seeds',
      'notifications.deliveries',
      'notifications.events',
      'notifications.notifications',
      'svc.audit',
      'tickets.replies',
      'tickets.tickets',
    ])
    expect(system.logs.filter((line) => line.includes(EMAIL))).toEqual([])
    await expect(operator.call(adminDeletePerson, { email: EMAIL })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('OP-08 the guide says of every table what is deleted and what stays', () => {
    const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
    const listed = [
      ...read('../docs/leaving.md')
        .split('## What is deleted')[1]!
        .matchAll(/`([a-z_]+\.[a-z_]+)`/g),
    ].map(([, name]) => name!)
    const tables = [...read('schema.txt').matchAll(/^([a-z_]+\.[a-z_]+)\./gm)].map(([, name]) => name!)
    const isPartition = (name: string) => name.endsWith('_default')
    expect(listed.toSorted()).toEqual([...new Set(tables)].filter((name) => !isPartition(name)).toSorted())
  })

  async function person(org_id: string) {
    return system.operator.call(adminCreateToken, { org_id, email: EMAIL, role: 'owner', name: 'test' })
  }

  async function tokenOf(org_id: string, email: string, role: 'owner' | 'developer'): Promise<string> {
    return (await system.operator.call(adminCreateToken, { org_id, email, role, name: `token of ${MARK}` })).token
  }

  async function deletion(id: string) {
    const { items } = await system.operator.call(adminListDeletions, {})
    return items.find((item) => item.id === id)
  }

  /** The loop of deletions sleeps by the real clock, so it is woken. */
  async function pass(ms: number): Promise<void> {
    clock.advance(ms)
    await notify(system.db, 'svc_deletions')
  }

  async function fill({ id: org_id }: { id: string }): Promise<void> {
    const { operator } = system
    const owner = system.client(await tokenOf(org_id, EMAIL, 'owner'))
    const { user } = await owner.call(me, {})
    const alias = `app-${MARK}`
    await owner.call(createApp, { alias, name: `App ${MARK}`, settings: {} })
    await owner.call(setAppPerson, { alias, user_id: user!.id, part: 'administrator' })
    await owner.call(changeEnvironment, { alias, set: { [`NAME_${MARK.toUpperCase()}`]: MARK }, remove: [] })
    const ticket = await owner.call(fileTicket, { alias, title: MARK, body: MARK })
    await owner.call(replyToTicket, { alias, ticket_id: ticket.id, body: MARK, internal: false })
    await owner.call(createCheck, {
      alias,
      name: `check ${MARK}`,
      definition: { kind: 'http', target: `/${MARK}`, expected_status: 200, timeout_seconds: 10 },
    })
    await owner.call(createDatabase, { name: `db_${MARK}` })
    await owner.call(switchSource, { name: `db_${MARK}`, enabled: true, description: MARK })
    const question = owner.call(querySource, { id: 'db_unknown', query: `who is ${MARK}?` })
    await expect(question).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const channel = await owner.call(addEmail, { address: `list.${MARK}@example.net` })
    await owner.call(createSubscription, { event_type: 'support.ticket.*', channel_id: channel.id })
    await owner.call(setFollow, { app: alias, categories: ['tickets'] })
    await owner.call(changeNotificationSettings, { timezone: 'Europe/Berlin' })
    await owner.call(createInvitation, { org_id, email: `new.${MARK}@example.net`, role: 'viewer' })
    await operator.call(adminSetDomains, { org_id, domains: [`${MARK}.example.net`] })
    await operator.call(startSupport, { org_id, staff_email: `staff.${MARK}@example.net`, reason: MARK })
  }
})
