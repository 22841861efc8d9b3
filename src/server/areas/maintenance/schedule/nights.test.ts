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
/** Organizations whose apps the loop may hold. */
let ours: string[]
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  // Other organizations would have nights in the same loop.
  await system.db.query(sql`update maintenance.orgs set enabled = false`)
  admin = await system.member('admin')
  ours = [admin.org_id]
  await api().call(createApp, { alias: 'shop' })
  await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'builtin/detectors' })
  await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
})

const api = () => system.client(admin.token)
const apps = {
  hold: async (_: unknown, orgId: string, id: string) =>
    ours.includes(orgId) ? { id, alias: 'shop', name: 'shop' } : undefined,
}
const faults: string[] = []
const onNightError = (error: unknown) => faults.push((error as Error).message)
const tick = (at: Date) => nightLoop({ db: system.db, apps, onNightError }).tick(at, signal)
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

  it('of a schedule that is closer than an hour begin too, for every app', async () => {
    const aliases = ['a1', 'a2', 'a3']
    for (const alias of aliases) await api().call(createApp, { alias })
    const often = { nightly_cron: '*/5 * * * *', cooldown_hours: 0 }
    await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, ...often })
    for (const alias of aliases) await api().call(changeAppMaintenance, { alias, enabled: true })
    for (let seconds = 0; seconds < 10 * 60; seconds += 30) await tick(new Date(night(0).getTime() + seconds * 1000))
    for (const alias of aliases) {
      expect((await api().call(listMaintenanceRuns, { alias })).items.length).toBeGreaterThanOrEqual(1)
    }
  })

  it('begin though that of another organization, whose timezone this release does not know, cannot', async () => {
    const newOrg = async () => {
      const other = await system.member('admin')
      const client = system.client(other.token)
      await client.call(createApp, { alias: 'shop' })
      await client.call(changeOrgMaintenance, { org_id: other.org_id, enabled: true, model: 'builtin/detectors' })
      await client.call(changeAppMaintenance, { alias: 'shop', enabled: true })
      ours.push(other.org_id)
      return other.org_id
    }
    const broken = await newOrg()
    const sound = await newOrg()
    await system.db.query(sql`update maintenance.orgs set timezone = 'Mars/Olympus_Mons' where org_id = ${broken}`)
    await tick(night(0))
    const started = await system.db.query<{ org_id: string }>(sql`
      select org_id from maintenance.runs where org_id in (${broken}, ${sound}, ${admin.org_id}) order by org_id`)
    expect(started.map(({ org_id }) => org_id)).toEqual([admin.org_id, sound].toSorted())
    expect(faults).toEqual([expect.stringMatching(/^the night of app \w+ failed and is tried again$/)])
    await system.db.query(sql`update maintenance.orgs set enabled = false where org_id in (${broken}, ${sound})`)
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

describe('MA-10 a night is due by the person who changed the schedule', () => {
  const dueBy = () =>
    system.db.query<{ due_by: string | null }>(sql`
      select due_by from maintenance.runs where org_id = ${admin.org_id} order by slot_at`)
  const end = () =>
    system.db.query(sql`
      update maintenance.runs set status = 'ended', terminal_code = 'internal', ended_at = now()
      where org_id = ${admin.org_id} and status <> 'ended'`)

  it('if it is the first one after that, whichever credential was used, and not later', async () => {
    const owner = await system.member('owner', admin.org_id)
    const change = { org_id: admin.org_id, enabled: true, nightly_cron: '30 2 * * *' }
    await system.client(owner.token).call(changeOrgMaintenance, change)
    for (const n of [0, 1]) {
      await tick(night(n))
      await end()
    }
    expect(await dueBy()).toEqual([{ due_by: owner.user_id }, { due_by: null }])
  })
})

needs('postgres')('MA-04 many workers', () => {
  it('that decide the same night start one run', async () => {
    await Promise.all(Array.from({ length: 8 }, () => tick(night(0))))
    expect(await runs()).toHaveLength(1)
  })
})
