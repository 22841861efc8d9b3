import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ingestLogs } from '#contract/apps/logs.ts'
import { readProposal } from '#contract/maintenance/proposals.ts'
import { readMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { createRedactor } from '#lib/redact/redact.ts'
import { type LiveApp, makeLiveApp } from '#test/apps/live-app.ts'
import { type System, startSystem } from '#test/system.ts'
import { WITHOUT_WORKER } from '#test/work/disable-races.ts'
import { createAppDirectory, createAppLogs, listWentLive } from '../../apps/index.ts'
import { listEndedRuns } from '../../checks/index.ts'
import { watchLoop } from './loop.ts'

const HOUR_MS = 3_600_000
const NOW = Date.now()
const hoursAgo = (hours: number) => new Date(NOW - hours * HOUR_MS)

let system: System
let admin: Awaited<ReturnType<System['member']>>
let app: LiveApp
let proposalId: string
let runId: string
beforeAll(async () => {
  // Without a worker, whose own loop would read the log at another time.
  system = await startSystem({ env: WITHOUT_WORKER })
})
afterAll(() => system?.[Symbol.asyncDispose]())

const api = () => system.client(admin.token)
const tick = (hours: number, page?: number) =>
  watchLoop(
    {
      db: system.db,
      apps: createAppDirectory(system),
      logs: createAppLogs(system),
      listCheckRuns: (appId, name, limit) => listEndedRuns(system.db, appId, name, limit),
      listWentLive,
      redactorOf: async () => createRedactor({}),
    },
    page,
  ).tick(hoursAgo(hours), new AbortController().signal)
const watched = async () => {
  const { after_deploy } = await api().call(readProposal, { alias: 'shop', proposal_id: proposalId })
  return after_deploy && [after_deploy.state, after_deploy.requests, after_deploy.is_final]
}
const eventsOf = () =>
  system.db.query<{ status: string }>(sql`
    select body ->> 'status' as status from svc.outbox
    where body ->> 'proposal_id' = ${proposalId} and type = 'application.maintenance.proposal.watched'
    union all
    select body ->> 'status' from notifications.events
    where body ->> 'proposal_id' = ${proposalId} and type = 'application.maintenance.proposal.watched'`)

async function writeLog(...lines: [hours: number, text: string][]): Promise<void> {
  const rows = lines.map(([hours, text]) => JSON.stringify({ at: hoursAgo(hours).toISOString(), text }))
  const body = new Blob([`${rows.join('\n')}\n`]).stream()
  await api().upload(ingestLogs, { alias: 'shop' }, body, { contentType: 'application/x-ndjson' })
}

/** Makes an app whose approved proposal went live that many hours ago. */
async function deployFix({ live, kind = 'error_in_logs', template = 'ERROR order <n> failed' }: Fix): Promise<void> {
  app = await makeLiveApp(system, admin, { alias: 'shop', files: { 'server.js': '' } })
  await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'builtin/detectors' })
  await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
  const [deploy] = await system.db.query<{ id: string }>(sql`
    update apps.deploys set live_at = ${hoursAgo(live)}, kind = 'proposal' where app_id = ${app.id} returning id`)
  proposalId = newId('pr')
  runId = newId('exe')
  await system.db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, proposal_id, created_at, ended_at)
    values (${runId}, ${admin.org_id}, ${app.id}, 'manual', 'test/model', 'ended', 'proposed', ${proposalId}, now(), now())`)
  await system.db.query(sql`
    insert into maintenance.findings
      (app_id, fingerprint, kind, template, summary, first_run_id, first_seen_at, last_seen_at, count)
    values (${app.id}, 'f1', ${kind}, ${template}, 's', ${runId}, now(), now(), 1)`)
  await system.db.query(sql`
    insert into maintenance.proposals
      (id, org_id, app_id, run_id, fingerprint, summary, day, status, base_revision_id, revision_id, decided_at,
       deploy_id, created_at)
    values (${proposalId}, ${admin.org_id}, ${app.id}, ${runId}, 'f1', 's', '2026-11-01', 'approved', 'rev_1',
      ${app.revisionId}, ${hoursAgo(live + 1)}, ${deploy!.id}, now())`)
}
type Fix = { readonly live: number; readonly kind?: string; readonly template?: string }

beforeEach(async () => {
  admin = await system.member('admin')
})

describe('MA-17 a deployed proposal', () => {
  it('is gone with the requests since, on the proposal and in the run, and is reported once after seven days', async () => {
    await deployFix({ live: 170 })
    await writeLog([171, 'ERROR order 1 failed'], [169, 'GET /pay 200 3ms'], [168, 'GET /pay 200 3ms'])
    expect(await watched()).toBeNull()
    await tick(100)
    expect(await watched()).toEqual(['gone', 2, false])
    expect(await eventsOf()).toEqual([])
    await writeLog([50, 'GET /pay 200 3ms'])
    await tick(0)
    expect(await watched()).toEqual(['gone', 3, true])
    await tick(0)
    expect(await eventsOf()).toEqual([{ status: 'gone' }])
    const run = await api().call(readMaintenanceRun, { alias: 'shop', execution_id: runId })
    expect(run.after_deploy).toMatchObject({ state: 'gone', requests: 3, is_final: true })
  })

  it('is back as soon as the fault is logged once, is reported once, and nothing is rolled back', async () => {
    await deployFix({ live: 10 })
    await writeLog([9, 'GET /pay 500 3ms'], [8, 'ERROR order 7 failed'], [7, 'ERROR order 8 failed'])
    await tick(5)
    expect(await watched()).toEqual(['back', 1, true])
    await tick(4)
    expect(await eventsOf()).toEqual([{ status: 'back' }])
    const deploys = await system.db.query(sql`select state from apps.deploys where app_id = ${app.id}`)
    expect(deploys).toEqual([{ state: 'live' }])
  })

  it('is neither gone nor back without requests', async () => {
    await deployFix({ live: 10 })
    await writeLog([9, 'started'])
    await tick(5)
    expect(await watched()).toEqual(['no_requests', 0, false])
  })

  it('is not back by what another revision writes after a rollback', async () => {
    await deployFix({ live: 10 })
    await system.db.query(sql`
      update apps.deploys set state = 'retired', ended_at = ${hoursAgo(6)} where app_id = ${app.id}`)
    await writeLog([9, 'GET /pay 200 3ms'], [5, 'ERROR order 7 failed'], [4, 'GET /pay 500 3ms'])
    await tick(3)
    expect(await watched()).toEqual(['gone', 1, true])
  })

  it('is watched also if others before it never go live', async () => {
    await deployFix({ live: 10 })
    await writeLog([9, 'GET /pay 200 3ms'])
    await system.db.query(sql`
      insert into maintenance.proposals
        (id, org_id, app_id, run_id, fingerprint, summary, day, status, base_revision_id, revision_id, decided_at,
         deploy_id, created_at)
      select 'pr_00000000000000000000000000', org_id, app_id, run_id, fingerprint, summary, '2026-11-02', status,
        base_revision_id, revision_id, decided_at, 'dep_never', created_at
      from maintenance.proposals where id = ${proposalId}`)
    await tick(5, 1)
    expect(await watched()).toEqual(['gone', 1, false])
  })

  it('whose fault is a check counts its runs, of which a failed one brings it back', async () => {
    await deployFix({ live: 10, kind: 'failing_check', template: 'check home page' })
    await system.db.query(sql`
      insert into checks.checks
        (id, org_id, app_id, name, definition, schedule, threshold, enabled, next_at, state, state_since,
         consecutive_fails, alert_open, created_by, created_at)
      values (${newId('chk')}, ${admin.org_id}, ${app.id}, 'home page', '{"kind": "http", "target": "/"}',
        '{"every_minutes": 10}', 1, true, '2100-01-01', 'pass', now(), 0, false, 'usr_1', now())`)
    const addRun = (hours: number, verdict: string) =>
      system.db.query(sql`
        insert into checks.runs
          (id, check_id, org_id, app_id, trigger, slot, state, attempt, created_at, started_at, ended_at, verdict)
        select ${newId('ckr', hoursAgo(hours).getTime())}, id, org_id, app_id, 'schedule', ${hoursAgo(hours)}, 'ended', 1,
          ${hoursAgo(hours)}, ${hoursAgo(hours)}, ${hoursAgo(hours)}, ${verdict}
        from checks.checks where app_id = ${app.id}`)
    await addRun(11, 'fail')
    await addRun(9.2, 'error')
    await addRun(9.1, 'indeterminate')
    await addRun(9, 'pass')
    await tick(8)
    expect(await watched()).toEqual(['gone', 1, false])
    await addRun(7, 'fail')
    await tick(6)
    expect(await watched()).toEqual(['back', 2, true])
  })

  it('is not watched while the agent is off, nor when its app is being deleted', async () => {
    await deployFix({ live: 10 })
    await writeLog([9, 'GET /pay 200 3ms'])
    await api().call(changeAppMaintenance, { alias: 'shop', enabled: false })
    await tick(5)
    expect(await watched()).toBeNull()
    await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
    await system.db.query(sql`update apps.apps set state = 'deleting' where id = ${app.id}`)
    await tick(4)
    const watches = await system.db.query(sql`select from maintenance.watches where proposal_id = ${proposalId}`)
    expect(watches).toEqual([])
  })
})
