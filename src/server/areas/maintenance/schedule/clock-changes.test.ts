import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { listMaintenanceRuns } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { nightLoop } from './loop.ts'

const HOUR_MS = 3_600_000
const clock = testClock(new Date('2026-01-01T00:00:00Z'))
const signal = new AbortController().signal

let system: System
beforeAll(async () => {
  system = await startSystem({ clock })
})
afterAll(() => system?.[Symbol.asyncDispose]())

type Settings = { nightly_cron: string; timezone: string; cooldown_hours?: number }

/** An organization with one app, whose maintenance was switched on at this time. */
async function enable(at: string, settings: Settings) {
  // Other organizations would have nights in the same loop.
  await system.db.query(sql`update maintenance.orgs set enabled = false`)
  clock.set(new Date(at))
  const { org_id, token } = await system.member('admin')
  const api = system.client(token)
  const { id } = await api.call(createApp, { alias: 'shop' })
  await api.call(changeOrgMaintenance, { org_id, enabled: true, model: 'builtin/detectors', ...settings })
  await api.call(changeAppMaintenance, { alias: 'shop', enabled: true })
  const runs = async () => (await api.call(listMaintenanceRuns, { alias: 'shop' })).items
  return { org_id, id, runs }
}

/** Looks every hour with a new loop, as after a restart, and lets each run end before the next look. */
async function follow(app: Awaited<ReturnType<typeof enable>>, end: string): Promise<void> {
  const apps = {
    hold: async (_: unknown, orgId: string, id: string) =>
      orgId === app.org_id ? { id, alias: 'shop', name: 'shop' } : undefined,
  }
  while (clock.now() < new Date(end)) {
    clock.advance(HOUR_MS)
    await nightLoop({ db: system.db, apps, onNightError: (error) => expect.fail(String(error)) }).tick(
      clock.now(),
      signal,
    )
    await until(async () => (await openRuns()).length === 0)
  }
}

const openRuns = () => system.db.query(sql`select 1 as one from maintenance.runs where status <> 'ended'`)
const nights = (appId: string) =>
  system.db.query<{ slot: string; decision: string }>(sql`
    select to_char(slot_at at time zone 'utc', 'MM-DD HH24:MI') as slot, decision
    from maintenance.nights where app_id = ${appId} order by slot_at`)
const started = (slot: string) => ({ slot, decision: 'started' })

describe('MA-04 nights while clocks change, with a cooldown of 24 hours from slot to slot', () => {
  it.each([
    [
      'a time that Berlin leaves out is due when the clocks go forward',
      { nightly_cron: '30 2 * * *', timezone: 'Europe/Berlin' },
      ['2026-03-27T12:00Z', '2026-03-30T12:00Z'],
      ['03-28 01:30', '03-29 01:00', '03-30 00:30'],
    ],
    [
      'a time that Berlin has twice is due the first time only',
      { nightly_cron: '30 2 * * *', timezone: 'Europe/Berlin' },
      ['2026-10-23T12:00Z', '2026-10-26T12:00Z'],
      ['10-24 00:30', '10-25 00:30', '10-26 01:30'],
    ],
    [
      'a time that Santiago leaves out at midnight is due on the same day',
      { nightly_cron: '30 0 * * *', timezone: 'America/Santiago' },
      ['2026-09-04T12:00Z', '2026-09-07T12:00Z'],
      ['09-05 04:30', '09-06 04:00', '09-07 03:30'],
    ],
    [
      'a time that Lord Howe has twice within half an hour is due once',
      { nightly_cron: '45 1 * * *', timezone: 'Australia/Lord_Howe' },
      ['2026-04-03T00:00Z', '2026-04-06T00:00Z'],
      ['04-03 14:45', '04-04 14:45', '04-05 15:15'],
    ],
    [
      'a day of 22 hours in Antarctica is no cooldown',
      { nightly_cron: '0 4 * * *', timezone: 'Antarctica/Troll' },
      ['2026-03-27T12:00Z', '2026-03-30T12:00Z'],
      ['03-28 04:00', '03-29 02:00', '03-30 02:00'],
    ],
  ])('%s', async (_, settings, [start, end], slots) => {
    const app = await enable(start!, settings)
    await follow(app, end!)
    expect(await nights(app.id)).toEqual(slots.map(started))
    expect((await app.runs()).map(({ mode, terminal_code }) => ({ mode, terminal_code }))).toEqual(
      slots.map(() => ({ mode: 'nightly', terminal_code: 'found_nothing' })),
    )
  })

  it('a cooldown of 48 hours lets an app rest every second night, also over a day of 23 hours', async () => {
    const app = await enable('2026-03-26T12:00Z', {
      nightly_cron: '0 3 * * *',
      timezone: 'Europe/Berlin',
      cooldown_hours: 48,
    })
    await follow(app, '2026-03-30T12:00Z')
    expect(await nights(app.id)).toEqual([
      { slot: '03-27 02:00', decision: 'started' },
      { slot: '03-28 02:00', decision: 'cooldown' },
      { slot: '03-29 01:00', decision: 'started' },
      { slot: '03-30 01:00', decision: 'cooldown' },
    ])
  })
})
