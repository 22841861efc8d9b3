import type { Client } from '#contract/core/client.ts'
import { type MaintenanceRun, readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { sql } from '#lib/db/sql.ts'
import type { System } from '#test/system.ts'
import { until } from '#test/until.ts'
import { ALIAS } from './plant.ts'

/** Starts a run and waits until it has ended. */
export async function runToEnd(client: Client): Promise<MaintenanceRun> {
  const { execution_id } = await client.call(startMaintenanceRun, { alias: ALIAS, mode: 'manual' })
  return untilEnded(client, execution_id)
}

export function untilEnded(client: Client, execution_id: string): Promise<MaintenanceRun> {
  return until(async () => {
    const run = await client.call(readMaintenanceRun, { alias: ALIAS, execution_id })
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

export function findingsOf({ db }: Pick<System, 'db'>, orgId: string): Promise<StoredFinding[]> {
  return db.query(sql`
    select kind, path, symbol, template, count from maintenance.findings
    join apps.apps app on app.id = app_id where app.org_id = ${orgId} order by first_seen_at, fingerprint`)
}
