import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAgentPool } from '#contract/ai.ts'
import { createApp, deleteApp } from '#contract/apps/apps.ts'
import { createCheck } from '#contract/checks/checks.ts'
import { changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { systemClock } from '#lib/time/clock.ts'
import { dayIn } from '#lib/time/day.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { createAgentPool } from './pool.ts'

const DAYS_AGO = dayIn('UTC', new Date(Date.now() - 4 * 24 * 3_600_000))

describe('MA-08 the tokens of agents by day', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({ env: { SVC_AGENT_TOKENS_PER_DAY: '1000' } })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const read = async ({ token }: { token: string }, days = 3) => system.client(token).call(readAgentPool, { days })
  const poolOf = () =>
    createAgentPool({ db: system.db, clock: systemClock, limit: 1000, timezoneOf: async () => 'UTC' })

  it('shows what checks and maintenance used, days without any, and the limit', async () => {
    const [admin, other] = [await system.member('admin'), await system.member('admin')]
    const spender = { orgId: admin.org_id, reference: 'x' }
    const check = await poolOf().reserve({ ...spender, spender: 'check', tokens: 100 })
    if (check === 'exhausted') throw new Error('exhausted')
    await poolOf().settle(check, 40)
    await poolOf().reserve({ ...spender, spender: 'maintenance', tokens: 300 })
    await poolOf().reserve({ orgId: other.org_id, reference: 'x', spender: 'check', tokens: 7 })
    const before = new Date(Date.now() - 2 * 24 * 3_600_000)
    await system.db.query(sql`
      insert into ai.agent_pool_days (org_id, day, tokens, is_closed)
      values (${admin.org_id}, ${dayIn('UTC', before)}, 0, true)`)
    const { limit, timezone, days } = await read(admin)
    expect([limit, timezone]).toEqual([1000, 'UTC'])
    expect(days.map(({ checks, maintenance, is_closed }) => [checks, maintenance, is_closed])).toEqual([
      [0, 0, true],
      [0, 0, false],
      [40, 300, false],
    ])
    expect(days.at(-1)!.day).toBe(dayIn('UTC', new Date()))
    expect((await read(other, 1)).days).toMatchObject([{ checks: 7, maintenance: 0 }])
  })

  it('CO-20 names the apps for which most was used, and nobody of another organization', async () => {
    const [admin, other] = [await system.member('admin'), await system.member('admin')]
    const client = system.client(admin.token)
    const definition = { kind: 'http' as const, target: '/up' }
    const schedule = { cron: '0 0 1 1 *' }
    const checkOf = async (alias: string) => {
      await client.call(createApp, { alias })
      return (await client.call(createCheck, { alias, name: 'Front page', definition, schedule })).id
    }
    const [shop, till] = [await checkOf('shop'), await checkOf('till')]
    const [app] = await system.db.query<{ id: string }>(sql`
      select id from apps.apps where org_id = ${admin.org_id} and alias = 'shop'`)
    const run = newId('exe')
    await system.db.query(sql`
      insert into maintenance.runs (id, org_id, app_id, mode, model, status, created_at)
      values (${run}, ${admin.org_id}, ${app!.id}, 'manual', 'acme/m', 'queued', now())`)
    const spend = (spender: 'check' | 'maintenance', reference: string, tokens: number, orgId = admin.org_id) =>
      poolOf().reserve({ orgId, spender, reference, tokens })
    await spend('check', shop, 10)
    await spend('check', shop, 20)
    await spend('maintenance', run, 100)
    await spend('check', till, 40)
    await spend('check', 'chk_gone', 5)
    await spend('check', shop, 7, other.org_id)
    await system.db.query(sql`
      insert into ai.agent_pool_days (org_id, day, tokens) values (${admin.org_id}, ${DAYS_AGO}, 0)`)
    await system.db.query(sql`
      insert into ai.agent_reservations (org_id, day, spender, reference, tokens, booked, expires_at)
      values (${admin.org_id}, ${DAYS_AGO}, 'check', ${till}, 900, 900, now())`)
    expect((await read(admin)).apps).toEqual([
      { app: { alias: 'shop', name: 'shop' }, checks: 30, maintenance: 100 },
      { app: { alias: 'till', name: 'till' }, checks: 40, maintenance: 0 },
      { app: null, checks: 5, maintenance: 0 },
    ])
    expect((await read(other)).apps).toEqual([{ app: null, checks: 7, maintenance: 0 }])
    expect((await read(admin, 5)).apps[0]).toMatchObject({ app: { alias: 'till' }, checks: 940 })
    await client.call(deleteApp, { alias: 'till', confirm: 'till' })
    // A worker deletes the app.
    await until(async () => (await read(admin)).apps.length === 2)
    expect((await read(admin)).apps.at(-1)).toEqual({ app: null, checks: 45, maintenance: 0 })
    expect((await read(await system.member('admin'))).apps).toEqual([])
  })

  it('a change of the maintenance timezone shows no fresh day', async () => {
    const admin = await system.member('admin')
    await poolOf().reserve({ orgId: admin.org_id, reference: 'x', spender: 'check', tokens: 1000 })
    // In one of them it is tomorrow or yesterday at any moment.
    for (const timezone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
      const settings = { org_id: admin.org_id, enabled: true, model: 'builtin/detectors', timezone }
      await system.client(admin.token).call(changeOrgMaintenance, settings)
      expect((await read(admin, 1)).days).toMatchObject([{ checks: 1000 }])
    }
  })

  it('is for admins', async () => {
    for (const role of ['viewer', 'member', 'developer'] as const) {
      await expect(read(await system.member(role))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    }
  })
})
