import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { ServiceError } from '#contract/core/errors.ts'
import {
  listMaintenanceRuns,
  type MaintenanceRun,
  readMaintenanceRun,
  startMaintenanceRun,
} from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { listCheckStates, readLogTemplates } from '#contract/maintenance/tools.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { disableRaces, WITHOUT_WORKER } from '#test/work/disable-races.ts'
import { sameKey } from '#test/work/same-key.ts'
import { createRunTokens } from '../claims/token.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let admin: Person
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  admin = await system.member('admin')
  await api().call(createApp, { alias: 'shop' })
  await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'builtin/detectors' })
  await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
})

const api = (token = admin.token) => system.client(token)
const start = (idempotencyKey?: string, mode: 'manual' | 'nightly' = 'manual') =>
  api().call(startMaintenanceRun, { alias: 'shop', mode }, idempotencyKey === undefined ? {} : { idempotencyKey })
const read = (execution_id: string) => api().call(readMaintenanceRun, { alias: 'shop', execution_id })
const switchOff = () => api().call(changeAppMaintenance, { alias: 'shop', enabled: false })

async function runToEnd(): Promise<MaintenanceRun> {
  const { execution_id } = await start()
  let run = await read(execution_id)
  await until(async () => {
    run = await read(execution_id)
    return run.status === 'ended'
  })
  return run
}

async function writeLog(...lines: object[]): Promise<void> {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  await api().upload(ingestLogs, { alias: 'shop' }, new Blob([body]).stream(), { contentType: 'application/x-ndjson' })
}

/** A run that a worker claimed and does not work at: the database is all that knows of it. */
async function claimedRun(leaseSeconds = 60): Promise<{ id: string; fence: number }> {
  const id = newId('exe')
  const [row] = await system.db.query<{ fence: number }>(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, fence, lease_until, created_at)
    select ${id}, org_id, id, 'manual', 'builtin/detectors', 'running', nextval('svc.fences'),
      clock_timestamp() + make_interval(secs => ${leaseSeconds}), now()
    from apps.apps where org_id = ${admin.org_id}
    returning fence`)
  return { id, fence: row!.fence }
}

const tokenOf = (claim: { id: string; fence: number }) =>
  createRunTokens(system.config.secrets.internalSecret).mint(claim)

const eventsOf = (executionId: string) =>
  system.db.query<{ type: string; status: string }>(sql`
    select type, body ->> 'status' as status from notifications.events
    where body ->> 'execution_id' = ${executionId} order by id`)

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no error',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  )
}

const FAULT = { level: 'error', text: "TypeError: Cannot read properties of undefined (reading 'price')" }

describe('MA-04 MA-07 a run', () => {
  it('that finds nothing says so, and lists what it read', async () => {
    const run = await runToEnd()
    expect(run).toMatchObject({ outcome: 'found_nothing', exit_code: 0, tokens_spent: 0, requested_by: admin.user_id })
    expect(run.evidence.map(({ kind, reference }) => [kind, reference])).toEqual([
      ['history', 'no deploy within a week'],
      ['logs', expect.stringMatching(/^\S+Z to \S+Z$/)],
      ['source', 'no live revision'],
      ['checks', 'states'],
    ])
    await until(async () => (await eventsOf(run.execution_id)).length > 0)
    expect(await eventsOf(run.execution_id)).toEqual([
      { type: 'application.maintenance.run.completed', status: 'found_nothing' },
    ])
  })

  it('MA-09 that finds an error records it, and the next one repeats it under the same fingerprint', async () => {
    await writeLog(FAULT, FAULT, FAULT)
    const first = await runToEnd()
    expect(first).toMatchObject({ terminal_code: 'finding_recorded', outcome: 'finding_recorded', exit_code: 11 })
    expect(first.summary).toBe(`An error was logged 3 times: ${FAULT.text}`)
    await writeLog(FAULT)
    const second = await runToEnd()
    expect(second).toMatchObject({ terminal_code: 'finding_repeat', outcome: 'finding_recorded', exit_code: 11 })
    expect(second.fingerprint).toBe(first.fingerprint)
    const findings = await system.db.query(sql`
      select count from maintenance.findings join apps.apps app on app.id = app_id where org_id = ${admin.org_id}`)
    expect(findings).toEqual([{ count: 2 }])
  })

  it('is refused while the app or the organization is off', async () => {
    await switchOff()
    expect(await codeOf(start())).toBe('MAINTENANCE_APP_DISABLED')
    await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: false })
    expect(await codeOf(start())).toBe('MAINTENANCE_AGENT_NOT_FOUND')
  })

  it('holds its app: another start is skipped until it ended', async () => {
    const held = await claimedRun()
    const skipped = await start()
    expect(skipped).toMatchObject({ status: 'ended', terminal_code: 'held_by_other', outcome: 'skipped', exit_code: 0 })
    expect(await eventsOf(skipped.execution_id)).toEqual([])
    await stageEdit(held.id)
    await system.db.query(sql`update maintenance.runs set lease_until = now() - interval '1 s' where id = ${held.id}`)
    // The next claim of any worker ends it.
    await system.db.query(sql`select pg_notify('svc_maintenance_runs', '')`)
    await until(async () => (await read(held.id)).status === 'ended')
    expect(await read(held.id)).toMatchObject({ terminal_code: 'lease_expired', outcome: 'agent_error', exit_code: 1 })
    await until(async () => (await eventsOf(held.id)).length > 0)
    expect(await eventsOf(held.id)).toEqual([{ type: 'application.maintenance.run.failed', status: 'agent_error' }])
    expect(await countEdits(held.id)).toBe(0)
    expect((await runToEnd()).outcome).toBe('found_nothing')
  })

  it('MA-19 that is ended by a switch leaves no edit behind', async () => {
    const held = await claimedRun()
    await stageEdit(held.id)
    await switchOff()
    expect(await read(held.id)).toMatchObject({ terminal_code: 'fenced_app_disabled' })
    expect(await countEdits(held.id)).toBe(0)
  })

  async function stageEdit(runId: string) {
    await system.db.query(sql`
      insert into maintenance.edits (run_id, n, path, old_text, new_text) values (${runId}, 1, 'a.js', 'old', 'new')`)
    expect(await countEdits(runId)).toBe(1)
  }

  async function countEdits(runId: string) {
    return (await system.db.query(sql`select from maintenance.edits where run_id = ${runId}`)).length
  }
})

describe('MA-13 an idempotency key of a run', () => {
  it('answers with the first run as it is now, also when the app is off by then', async () => {
    const first = await start('key-1')
    await until(async () => (await read(first.execution_id)).status === 'ended')
    const again = await start('key-1')
    expect(again).toEqual(await read(first.execution_id))
    await switchOff()
    expect((await start('key-1')).execution_id).toBe(first.execution_id)
    const { items } = await api().call(listMaintenanceRuns, { alias: 'shop' })
    expect(items).toHaveLength(1)
  })

  it('is refused for another mode, and when it is too long', async () => {
    await start('key-1')
    expect(await codeOf(start('key-1', 'nightly'))).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(await codeOf(start('k'.repeat(300)))).toBe('INVALID_REQUEST')
  })
})

describe('MA-05 MA-19 the identity of a run', () => {
  it('calls its tools while the run holds the app, and reads that app alone', async () => {
    await writeLog(FAULT)
    const token = tokenOf(await claimedRun())
    const { clusters } = await api(token).call(readLogTemplates, {})
    expect(clusters).toMatchObject([{ template: FAULT.text, level: 'error', count: 1 }])
  })

  it('can call nothing else', async () => {
    const token = tokenOf(await claimedRun())
    const refused = [
      api(token).call(listMaintenanceRuns, { alias: 'shop' }),
      api(token).call(startMaintenanceRun, { alias: 'shop', mode: 'manual' }),
      api(token).call(changeAppMaintenance, { alias: 'shop', enabled: false }),
      api(token).call(createApp, { alias: 'other' }),
    ]
    expect(await Promise.all(refused.map(codeOf))).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'])
  })

  it('MA-06 is refused at the next call once the app was switched off', async () => {
    const claim = await claimedRun()
    const token = tokenOf(claim)
    expect(await codeOf(api(token).call(listCheckStates, {}))).toBe('no error')
    await switchOff()
    expect(await codeOf(api(token).call(listCheckStates, {}))).toBe('INVALID_TOKEN')
    expect(await read(claim.id)).toMatchObject({ terminal_code: 'fenced_app_disabled', exit_code: 6 })
  })

  it.each([
    ['an expired lease', async () => tokenOf(await claimedRun(-1))],
    ['another fence', async () => tokenOf({ ...(await claimedRun()), fence: 1 })],
    ['another signature', async () => `${tokenOf(await claimedRun()).slice(0, -3)}abc`],
    ['no signature', async () => `svcrun.${newId('exe')}.1`],
  ])('is refused with %s', async (_, token) => {
    expect(await codeOf(api(await token()).call(listCheckStates, {}))).toBe('INVALID_TOKEN')
  })

  it('is unknown to the other services', async () => {
    const token = tokenOf(await claimedRun())
    const answer = await fetch(`${system.url}/api/wf/slim/data-sources`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(401)
  })
})

describe('MA-05 services apart, without chat providers', () => {
  it('a run reaches its tools at deploy-api, which takes names of models that only the worker can know', async () => {
    await using apart = await startSystem({ mode: 'apart' })
    const owner = await apart.member('owner')
    const client = apart.client(owner.token)
    const runWith = async (model: string) => {
      await client.call(changeOrgMaintenance, { org_id: owner.org_id, enabled: true, model })
      await client.call(changeAppMaintenance, { alias: 'shop', enabled: true })
      const { execution_id } = await client.call(startMaintenanceRun, { alias: 'shop', mode: 'manual' })
      return until(async () => {
        const run = await client.call(readMaintenanceRun, { alias: 'shop', execution_id })
        return run.status === 'ended' && run
      })
    }
    await client.call(createApp, { alias: 'shop' })
    expect(await runWith('builtin/detectors')).toMatchObject({ outcome: 'found_nothing' })
    expect(await runWith('acme/large')).toMatchObject({
      terminal_code: 'model_error',
      outcome: 'agent_error',
      tokens_spent: 0,
      summary: 'The worker has no chat model acme/large. The operator configures models in SVC_AI_PROVIDERS.',
    })
  })
})

needs('postgres')('MA-04 many starts at once, without a worker that takes the run meanwhile', () => {
  let others: System
  beforeAll(async () => {
    const still = await startSystem({ env: WITHOUT_WORKER })
    others = system
    system = still
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    system = others
  })

  it('60 of them are one run and 59 skipped ones', async () => {
    const runs = await Promise.all(Array.from({ length: 60 }, () => start()))
    expect(runs.filter(({ status }) => status === 'queued')).toHaveLength(1)
    expect(runs.filter(({ terminal_code }) => terminal_code === 'held_by_other')).toHaveLength(59)
  })

  it('MA-13 20 of them with one key are one run', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => start('same')))
    expect(new Set(runs.map(({ execution_id }) => execution_id)).size).toBe(1)
  })

  it('MA-13 4 processes of the 20 of `npm run test:long` with one key start one run', async () => {
    const { answers, runs } = await sameKey(system, { processes: 4 })
    expect(answers).toHaveLength(4)
    expect(new Set(answers)).toEqual(new Set(runs))
    expect(runs).toHaveLength(1)
  })

  it('MA-06 switching an app off leaves no write after its answer, in 30 races of the 300 of `npm run test:long`', async () => {
    const { late, stopped, finished } = await disableRaces(system, { rounds: 30, seed: 7 })
    expect(late).toEqual([])
    expect(stopped + finished).toBe(30)
    expect(stopped).toBeGreaterThan(0)
  })
})
