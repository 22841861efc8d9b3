import { createApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { changeAppMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { uploadFiles } from '#test/apps/live-app.ts'
import type { System } from '#test/system.ts'
import { type App, linesOf, milliseconds, runsOf } from './fault-app.ts'

type Owner = { readonly token: string; readonly org_id: string }
/** Far enough that no schedule runs a planted check: its history is all there is. */
const NEVER = new Date('2100-01-01T00:00:00Z')

/** Makes an app with this history and switches the agent on. Nothing runs: the agent reads what is stored. */
export async function plantApp(system: System, owner: Owner, alias: string, app: App): Promise<void> {
  const client = system.client(owner.token)
  const now = Date.now()
  await client.call(createApp, { alias })
  await addDeploys(system, owner, alias, app, now)
  const body = linesOf(app, now)
    .map((line) => `${JSON.stringify({ ...line, at: line.at.toISOString() })}\n`)
    .join('')
  await client.upload(ingestLogs, { alias }, new Blob([body]).stream(), { contentType: 'application/x-ndjson' })
  for (const check of app.checks) await addCheck(system, owner, alias, check, now)
  await client.call(changeAppMaintenance, { alias, enabled: true })
}

async function addDeploys(system: System, owner: Owner, alias: string, app: App, now: number): Promise<void> {
  const times = app.deploys.map((time) => new Date(now + milliseconds(time)))
  for (const [index, liveAt] of times.entries()) {
    const files = { 'README.md': `Revision ${index}\n`, ...app.files }
    const revisionId = await uploadFiles(system, owner, { alias, files })
    const endedAt = times[index + 1] ?? null
    await system.db.query(sql`
      insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, created_at, live_at, ended_at)
      select ${newId('dep')}, app_id, org_id, id, 'deploy', ${endedAt ? 'retired' : 'live'}, ${liveAt}, ${liveAt},
        ${endedAt}
      from apps.revisions where id = ${revisionId}`)
  }
}

async function addCheck(
  { db }: System,
  { org_id }: Owner,
  alias: string,
  check: App['checks'][number],
  now: number,
): Promise<void> {
  const { runs, state } = runsOf(check, now)
  const rows = runs.toReversed().map((run) => ({ id: newId('ckr', run.at.getTime()), ...run }))
  const checkId = newId('chk')
  await db.query(sql`
    insert into checks.checks
      (id, org_id, app_id, name, definition, schedule, threshold, enabled, next_at, state, state_since,
       consecutive_fails, alert_open, last_verdict, last_run_at, created_by, created_at)
    select ${checkId}, org_id, id, ${check.name}, '{"kind": "http", "target": "/"}', '{"every_minutes": 10}', 3, true, ${NEVER},
      ${state}, ${rows[0]!.at}, 0, false, ${state}, ${rows.at(-1)!.at}, 'usr_1',
      ${rows[0]!.at}
    from apps.apps where org_id = ${org_id} and alias = ${alias}`)
  await db.query(sql`
    insert into checks.runs
      (id, check_id, org_id, app_id, trigger, slot, state, attempt, created_at, started_at, ended_at, verdict, detail)
    select run.id, checks.id, org_id, app_id, 'schedule', at, 'ended', 1, at, at, at, verdict, detail
    from checks.checks,
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as run (id text, at timestamptz, verdict text, detail text)
    where checks.id = ${checkId}`)
}
