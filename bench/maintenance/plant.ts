import { createApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { seeded } from '#test/seeded.ts'
import type { System } from '#test/system.ts'
import { tarOf } from '#test/tar.ts'
import type { CheckHistory, Line, Twin } from './scenarios/scenario.ts'

/** A person who owns the organization of planted apps. */
export type Owner = { readonly orgId: string; readonly client: Client; readonly token: string }

/** An app with the agent switched on. */
export type PlantedApp = Owner & { readonly alias: string }

const MINUTE_MS = 60_000
/** Far enough that no schedule runs a planted check: its history is all there is. */
const NEVER = new Date('2100-01-01T00:00:00Z')

type Planting = {
  readonly twin: Twin
  readonly seed: number
  readonly now: Date
  readonly alias?: string
}

/** Makes an organization whose agent uses the model. */
export async function makeOwner(system: System, model: string): Promise<Owner> {
  const { token, org_id: orgId } = await system.member('owner')
  const client = system.client(token)
  await client.call(changeOrgMaintenance, { org_id: orgId, enabled: true, model })
  return { orgId, client, token }
}

/** Makes an app as the twin describes it and switches the agent on. */
export async function plant(system: System, owner: Owner, planting: Planting): Promise<PlantedApp> {
  const { twin, seed, now, alias = 'app' } = planting
  const app = { ...owner, alias }
  await owner.client.call(createApp, { alias })
  await deployFiles(system, app, twin.files, now)
  await writeLines(app, twin.logs(seeded(seed)), now)
  for (const check of twin.checks) await addCheck(system, app, check, now)
  await owner.client.call(changeAppMaintenance, { alias, enabled: true })
  return app
}

/** Stores the files as a revision and calls it live, although nothing runs: maintenance looks at source and logs alone. */
async function deployFiles(
  { db }: System,
  { client, alias }: PlantedApp,
  files: Twin['files'],
  now: Date,
): Promise<void> {
  const archive = tarOf(Object.entries(files).map(([name, content]) => ({ name, content })))
  const { id } = await client.upload(uploadRevision, { alias }, new Blob([archive]).stream(), {
    contentType: 'application/x-tar',
  })
  await db.tx(async (tx) => {
    await tx.query(sql`
      update apps.deploys set state = 'retired', ended_at = ${now}
      where state = 'live' and app_id = (select app_id from apps.revisions where id = ${id})`)
    await tx.query(sql`
      insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, created_at, started_at, live_at)
      select ${newId('dep')}, app_id, org_id, id, 'deploy', 'live', ${now}, ${now}, ${now}
      from apps.revisions where id = ${id}`)
  })
}

export async function writeLines({ client, alias }: PlantedApp, lines: readonly Line[], now: Date): Promise<void> {
  const rows = lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ minutesAgo, ...line }) => ({ ...line, at: new Date(now.getTime() - minutesAgo * MINUTE_MS).toISOString() }))
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  await client.upload(ingestLogs, { alias }, new Blob([body]).stream(), { contentType: 'application/x-ndjson' })
}

async function addCheck(
  { db }: System,
  { orgId, alias }: PlantedApp,
  { name, path, runs }: CheckHistory,
  now: Date,
): Promise<void> {
  const at = (minutesAgo: number) => new Date(now.getTime() - minutesAgo * MINUTE_MS)
  const latest = runs.at(-1)!
  const change = runs.findLastIndex(({ verdict }) => verdict !== latest.verdict) + 1
  const fails = latest.verdict === 'fail' ? runs.length - change : 0
  const [check] = await db.query<{ id: string }>(sql`
    insert into checks.checks
      (id, org_id, app_id, name, definition, schedule, threshold, enabled, next_at, state, state_since,
       consecutive_fails, alert_open, last_verdict, last_run_at, created_by, created_at)
    select ${newId('chk')}, org_id, id, ${name}, ${JSON.stringify({ kind: 'http', target: path })}::jsonb, '{"every_minutes": 10}', 1, true,
      ${NEVER}, ${latest.verdict}, ${at(runs[change]!.minutesAgo)}, ${fails}, ${latest.verdict === 'fail'},
      ${latest.verdict}, ${at(latest.minutesAgo)}, 'bench', ${at(runs[0]!.minutesAgo)}
    from apps.apps where org_id = ${orgId} and alias = ${alias}
    returning id`)
  const rows = runs.map(({ minutesAgo, ...run }) => ({
    ...run,
    id: newId('ckr', at(minutesAgo).getTime()),
    at: at(minutesAgo),
  }))
  await db.query(sql`
    insert into checks.runs
      (id, check_id, org_id, app_id, trigger, slot, state, attempt, created_at, started_at, ended_at, verdict, detail)
    select run.id, check_id, app.org_id, app.id, 'schedule', at, 'ended', 1, at, at, at, verdict, detail
    from apps.apps app, (select ${check!.id}::text as check_id) of_check,
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as run (id text, at timestamptz, verdict text, detail text)
    where app.org_id = ${orgId} and app.alias = ${alias}`)
}
