import { createApp } from '#contract/apps/apps.ts'
import type { Client } from '#contract/core/client.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { listCheckStates, readLogTemplates } from '#contract/maintenance/tools.ts'
import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createRunTokens } from '../../../src/server/areas/maintenance/claims/token.ts'
import { finishRun } from '../../../src/server/areas/maintenance/runs/finish.ts'
import { appPorts } from '../apps/live-app.ts'
import { seeded } from '../seeded.ts'
import type { System } from '../system.ts'

type Options = { readonly rounds: number; readonly seed: number }

type RaceReport = {
  rounds: number
  /** Runs that the switch stopped, and runs that ended before it. */
  stopped: number
  finished: number
  /** Calls of tools that were refused because the run was stopped. */
  refused: number
  /** Runs of which something was written after the answer of the switch. */
  late: string[]
}

const ALIAS = 'shop'
const MAX_DELAY_MS = 25

/** Services of a system whose runs are worked at by nobody but this program. */
export const WITHOUT_WORKER = {
  SVC_SERVICES: 'auth-service,api-gateway,deploy-api,mcp-server',
  WORKER_URL: 'http://127.0.0.1:9',
  SVC_REDIRECT_BASE_URL: 'https://app.test',
}

/**
 * Switches the agent of an app off while its run calls tools and finishes, in every order that chance gives. The state of
 * the run is read when the switch was answered, and again when everything else has ended: it must be the same.
 */
export async function disableRaces(system: System, { rounds, seed }: Options): Promise<RaceReport> {
  const random = seeded(seed)
  const { token, org_id } = await system.member('admin')
  const admin = system.client(token)
  await admin.call(createApp, { alias: ALIAS })
  await admin.call(changeOrgMaintenance, { org_id, enabled: true, model: 'builtin/detectors' })
  const report: RaceReport = { rounds, stopped: 0, finished: 0, refused: 0, late: [] }
  for (let round = 0; round < rounds; round++) {
    await admin.call(changeAppMaintenance, { alias: ALIAS, enabled: true })
    const run = await claimRun(system.db, org_id)
    const delay = () => new Promise((resolve) => setTimeout(resolve, random() * MAX_DELAY_MS))
    const working = [callTools(system, run, delay), finish(system, run, delay)]
    await delay()
    await admin.call(changeAppMaintenance, { alias: ALIAS, enabled: false })
    const atAnswer = await stateOf(system.db, run)
    const [refused] = await Promise.all(working)
    report.refused += refused!
    const { code, ...atEnd } = await stateOf(system.db, run)
    if (JSON.stringify({ code, ...atEnd }) !== JSON.stringify(atAnswer)) report.late.push(run.id)
    if (code === 'fenced_app_disabled') report.stopped++
    else report.finished++
  }
  return report
}

type Run = { id: string; fence: number; app_id: string }

/** Makes a run as a worker has it that has just claimed it. */
async function claimRun(db: Db, orgId: string): Promise<Run> {
  const [row] = await db.query<Run>(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, fence, lease_until, created_at)
    select ${newId('exe')}, org_id, id, 'manual', 'builtin/detectors', 'running', nextval('svc.fences'),
      clock_timestamp() + interval '1 minute', now()
    from apps.apps where org_id = ${orgId}
    returning id, fence, app_id`)
  return row!
}

/** Calls tools until one is refused. Returns how many were. */
async function callTools(system: System, run: Run, delay: () => Promise<unknown>): Promise<number> {
  const client: Client = system.client(createRunTokens(system.config.secrets.internalSecret).mint(run))
  for (let call = 0; call < 6; call++) {
    await delay()
    const answer = call % 2 === 0 ? client.call(listCheckStates, {}) : client.call(readLogTemplates, {})
    const isRefused = await answer.then(
      () => false,
      () => true,
    )
    if (isRefused) return 1
  }
  return 0
}

const FAULT = { kind: 'error_in_logs', path: null, symbol: null, template: 'boom', summary: 'boom' } as const

async function finish(system: System, run: Run, delay: () => Promise<unknown>): Promise<number> {
  await delay()
  await delay()
  const app = { id: run.app_id, alias: ALIAS, name: ALIAS }
  const result = { type: 'detected', detected: [FAULT], digest: 'same' } as const
  await finishRun({ db: system.db, changes: appPorts(system) }, { claim: run, app, result, at: new Date() })
  return 0
}

/** All that a run can write. */
async function stateOf(db: Db, { id, app_id }: Run) {
  const [row] = await db.query<{ code: string }>(sql`
    select terminal_code as code, status, summary, fingerprint, proposal_id, tokens_spent,
      (select count(*) from maintenance.evidence where run_id = ${id}) as evidence,
      (select count(*) from maintenance.edits where run_id = ${id}) as edits,
      (select count(*) from maintenance.proposals where run_id = ${id}) as proposals,
      (select sum(count) from maintenance.findings where app_id = ${app_id}) as findings,
      (select count(*) from notifications.events where body ->> 'execution_id' = ${id}) as events
    from maintenance.runs where id = ${id}`)
  return row!
}
