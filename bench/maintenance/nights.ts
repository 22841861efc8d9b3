import { listMaintenanceRuns } from '#contract/maintenance/runs.ts'
import { sql } from '#lib/db/sql.ts'
import { seeded } from '#test/seeded.ts'
import type { System } from '#test/system.ts'
import { until } from '#test/until.ts'
import { nightLoop } from '../../src/server/areas/maintenance/schedule/loop.ts'
import type { Floor } from '../help/floors.ts'
import { modelName } from './model/policies.ts'
import type { Settings } from './outcomes.ts'
import { makeOwner, type PlantedApp, plant, writeLines } from './plant.ts'
import { findingsOf } from './runs.ts'

const NIGHTS = 7
const DAY_MS = 86_400_000

/** The clock of the system, which the measurement moves from night to night. */
export type MovableClock = { now(): Date; moveTo(at: Date): void }

/** Lets the same fault be looked at in seven nights. It is reported and proposed once, and each run says how it ended. */
export async function measureNights(system: System, clock: MovableClock, settings: Settings): Promise<Floor[]> {
  const scenario = settings.scenarios.find(({ name }) => name === 'profile')!
  const model = modelName('oracle', scenario, 'broken')
  const owner = await makeOwner(system, `openai/${model}`)
  const app = await plant(system, owner, { twin: scenario.broken, seed: settings.seed, now: clock.now() })
  const evening = Math.ceil(clock.now().getTime() / DAY_MS) * DAY_MS
  for (let night = 0; night < NIGHTS; night++) {
    clock.moveTo(new Date(evening + night * DAY_MS + 4 * 3_600_000))
    // The fault is met again, by other people.
    await writeLines(app, scenario.broken.logs(seeded(settings.seed + night)), clock.now())
    await runNight(system, clock, app, night + 1)
  }
  return report(system, app)
}

function throwIt(error: unknown): never {
  throw error
}

async function runNight(system: System, clock: MovableClock, app: PlantedApp, count: number): Promise<void> {
  const apps = {
    hold: async (_: unknown, orgId: string, id: string) =>
      orgId === app.orgId ? { id, alias: app.alias, name: app.alias } : undefined,
  }
  await nightLoop({ db: system.db, apps, onNightError: throwIt }).tick(clock.now(), new AbortController().signal)
  await until(async () => {
    const { items } = await app.client.call(listMaintenanceRuns, { alias: app.alias })
    return items.length === count && items.every(({ status }) => status === 'ended')
  })
}

async function report(system: System, app: PlantedApp): Promise<Floor[]> {
  const { items } = await app.client.call(listMaintenanceRuns, { alias: app.alias })
  console.log(
    `seven nights of one fault: ${items
      .map(({ terminal_code }) => terminal_code)
      .toReversed()
      .join(', ')}`,
  )
  const events = await until(async () => {
    const rows = await system.db.query<{ type: string; count: number }>(sql`
      select type, count(*) from notifications.events where org_id = ${app.orgId} group by type`)
    const counts = new Map(rows.map(({ type, count }) => [type.replace('application.maintenance.', ''), count]))
    return (counts.get('run.completed') ?? 0) >= NIGHTS && counts
  })
  const [proposals] = await system.db.query<{ count: number }>(sql`
    select count(*) from maintenance.proposals where org_id = ${app.orgId}`)
  const exactly = (name: string, value: number, expected: number): Floor[] => [
    { name, value, atLeast: expected },
    { name, value, atMost: expected },
  ]
  return [
    ...exactly('seven nights, findings', (await findingsOf(system, app)).length, 1),
    ...exactly('seven nights, proposals', proposals!.count, 1),
    ...exactly('seven nights, run.completed', events.get('run.completed') ?? 0, NIGHTS),
    ...exactly('seven nights, proposal.created', events.get('proposal.created') ?? 0, 1),
  ]
}
