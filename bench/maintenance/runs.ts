import { type MaintenanceRun, readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { sql } from '#lib/db/sql.ts'
import type { System } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { PlantedApp } from './plant.ts'

/** Starts a run and waits until it has ended. */
export async function runToEnd(app: PlantedApp): Promise<MaintenanceRun> {
  return untilEnded(app, await startRun(app))
}

export async function startRun({ client, alias }: PlantedApp): Promise<string> {
  return (await client.call(startMaintenanceRun, { alias, mode: 'manual' })).execution_id
}

export function untilEnded({ client, alias }: PlantedApp, execution_id: string): Promise<MaintenanceRun> {
  return until(async () => {
    const run = await client.call(readMaintenanceRun, { alias, execution_id })
    return run.status === 'ended' && run
  })
}

export type StoredFinding = {
  kind: string
  path: string | null
  symbol: string | null
  template: string
  count: number
}

export function findingsOf({ db }: System, { orgId, alias }: PlantedApp): Promise<StoredFinding[]> {
  return db.query(sql`
    select kind, path, symbol, template, count from maintenance.findings
    join apps.apps app on app.id = app_id where app.org_id = ${orgId} and alias = ${alias}
    order by first_seen_at, fingerprint`)
}
