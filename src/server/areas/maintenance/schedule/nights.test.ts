import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { listMaintenanceRuns } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { sql } from '#lib/db/sql.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { nightLoop } from './loop.ts'

const DAY_MS = 86_400_000
const signal = new AbortController().signal

let system: System
let admin: Awaited<ReturnType<System['member']>>
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  // Other organizations would have nights in the same loop.
  await system.db.query(sql`update maintenance.orgs set enabled = false`)
  admin = await system.member('admin')
  await api().call(createApp, { alias: 'shop' })
  await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'builtin/detectors' })
  await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
})

const api = () => system.client(admin.token)
const apps = {
  hold: async (_: unknown, orgId: string, id: string) =>
    orgId === admin.org_id ? { id, alias: 'shop', name: 'shop' } : undefined,
}
const tick = (at: Date) => nightLoop({ db: system.db, apps }).tick(at, signal)
/** The end of the hour in which runs of the night begin, that many nights from now. */
const night = (n: number) => new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + n * DAY_MS + 4 * 3_600_000)
const slots = async () =>
  system.db.query<{ slot: string; decision: string }>(sql`
    select to_char(slot_at at time zone 'utc', 'HH24:MI') as slot, decision
    from maintenance.nights join apps.apps app on app.id = app_id where org_id = ${admin.org_id} order by slot_at`)
const runs = async () => (await api().call(listMaintenanceRuns, { alias: 'shop' })).items

describe('MA-04 the nights of an app', () => {
  it('each start one run, however often the loop looks', async () => {
    await tick(night(0))
    await tick(night(0))
    expect(await runs()).toMatchObject([{ mode: 'nightly', requested_by: null }])
    expect(await slots()).toEqual([{ slot: '03:00', decision: 'started' }])
  })

  it('that passed while nothing ran are missed once, and not caught up', async () => {
    await tick(new Date(night(3).getTime() + 8 * 3_600_000))
    expect(await runs()).toEqual([])
    expect(await slots()).toEqual([{ slot: '03:00', decision: 'missed' }])
  })

  it('are skipped while another run holds the app', async () => {
    await system.db.query(sql`
      insert into maintenance.runs (id, org_id, app_id, mode, model, status, fence, lease_until, created_at)
      select 'exe_held', org_id, id, 'manual', 'x', 'running', 1, now() + interval '1 hour', now()
      from apps.apps where org_id = ${admin.org_id}`)
    await tick(night(0))
    expect(await slots()).toEqual([{ slot: '03:00', decision: 'skipped' }])
    expect((await runs()).map(({ terminal_code }) => terminal_code)).toContain('held_by_other')
  })

  it('do not begin once the app was switched off', async () => {
    await api().call(changeAppMaintenance, { alias: 'shop', enabled: false })
    await tick(night(0))
    expect([await runs(), await slots()]).toEqual([[], []])
  })

  it('rest for the cooldown after a complete run', async () => {
    await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, cooldown_hours: 48 })
    await tick(night(0))
    await system.db.query(sql`
      update maintenance.runs set status = 'ended', terminal_code = 'found_nothing', ended_at = now()
      where org_id = ${admin.org_id} and status <> 'ended'`)
    await tick(night(1))
    await tick(night(2))
    expect((await slots()).map(({ decision }) => decision)).toEqual(['started', 'cooldown', 'started'])
  })
})

needs('postgres')('MA-04 many workers', () => {
  it('that decide the same night start one run', async () => {
    await Promise.all(Array.from({ length: 8 }, () => tick(night(0))))
    expect(await runs()).toHaveLength(1)
  })
})
