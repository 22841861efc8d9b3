import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ingestLogs } from '#contract/apps/logs.ts'
import type { Client } from '#contract/core/client.ts'
import { type MaintenanceRun, readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { makeLiveApp } from '#test/apps/live-app.ts'
import { startToolGate, type ToolGate } from '#test/apps/tool-gate.ts'
import { openTestDatabase } from '#test/database.ts'
import { type FakeChat, type FakeReply, startFakeChat } from '#test/outside/fake-chat.ts'
import { workerOnly } from '#test/programs/own-system.ts'
import { startProcess } from '#test/programs/processes.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem, testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import { WITHOUT_WORKER } from '#test/work/disable-races.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const ALIAS = 'shop'
const FAULT = { level: 'error', text: "TypeError: Cannot read properties of undefined (reading 'price')" }

const SOURCE = 'export const total = ({ price }) => price\n'
const EDIT: FakeReply = {
  toolCalls: [
    {
      id: 'c1',
      name: 'stage_edit',
      arguments: JSON.stringify({ path: 'pay.mjs', old: '=> price', new: '=> price ?? 0' }),
    },
  ],
}
const CLAIM = {
  verdict: 'change',
  kind: 'error_in_logs',
  template: FAULT.text,
  summary: 'An order without a price fails.',
  evidence: [1, 2, 3],
}
const CHANGE: FakeReply = { toolCalls: [{ id: 'c2', name: 'finish', arguments: JSON.stringify(CLAIM) }] }

type Hold = { readonly number: number; readonly what: 'request' | 'answer' }
type Shop = { readonly orgId: string; readonly client: Client }

needs('postgres')('MA-05 a worker killed while it works at a run', () => {
  const stack = new AsyncDisposableStack()
  let system: System
  let env: Environment
  let gate: ToolGate
  /** The call of each run that gets no further. The gate waits until it is said. */
  const holds = new Map<string, Hold | undefined>()
  let asked: FakeChat
  let edited: FakeChat
  let proposing: FakeChat

  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-maintenance-killed-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const database = stack.use(await openTestDatabase())
    asked = stack.use(await startFakeChat())
    edited = stack.use(await startFakeChat())
    proposing = stack.use(await startFakeChat())
    const models = [{ name: 'model' }]
    const providers = [
      asked.provider('asked', 'openai', models),
      edited.provider('edited', 'anthropic', models),
      proposing.provider('proposing', 'openai', models),
    ]
    env = { ...testEnvironment(database.url, dataDir), SVC_AI_PROVIDERS: JSON.stringify(providers) }
    const on = { db: database.db, databaseUrl: database.url }
    system = stack.use(await startSystem({ on, env: { ...env, ...WITHOUT_WORKER } }))
    gate = stack.use(
      await startToolGate(system.url, async ({ executionId, number }) => {
        await until(() => holds.has(executionId))
        const hold = holds.get(executionId)
        return hold?.number === number ? hold.what : undefined
      }),
    )
  })
  afterAll(() => stack.disposeAsync())

  const startWorker = () => startProcess({ ...workerOnly(env, system.url), DEPLOY_API_URL: gate.url })

  async function makeShop(model: string): Promise<Shop> {
    const { token, org_id: orgId } = await system.member('owner')
    const client = system.client(token)
    await makeLiveApp(system, { token, org_id: orgId }, { alias: ALIAS, files: { 'pay.mjs': SOURCE } })
    const line = new Blob([`${JSON.stringify(FAULT)}\n`.repeat(3)]).stream()
    await client.upload(ingestLogs, { alias: ALIAS }, line, { contentType: 'application/x-ndjson' })
    await client.call(changeOrgMaintenance, { org_id: orgId, enabled: true, model })
    await client.call(changeAppMaintenance, { alias: ALIAS, enabled: true })
    return { orgId, client }
  }

  const start = ({ client }: Shop) => client.call(startMaintenanceRun, { alias: ALIAS, mode: 'manual' })
  const untilEnded = ({ client }: Shop, execution_id: string): Promise<MaintenanceRun> =>
    until(async () => {
      const run = await client.call(readMaintenanceRun, { alias: ALIAS, execution_id })
      return run.status === 'ended' && run
    })

  /** Makes whoever writes to the table wait until it is called back. */
  async function lockTable(lock: Sql): Promise<() => Promise<void>> {
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = system.db.tx(async (tx) => {
      await tx.query(lock)
      locked.resolve()
      await released.promise
    })
    await Promise.race([locked.promise, holding])
    return () => {
      released.resolve()
      return holding
    }
  }

  const waitsFor = async (table: 'maintenance.findings' | 'apps.revisions') => {
    const rows = await system.db.query(sql`
      select 1 from pg_locks where relation = ${table}::regclass and not granted`)
    return rows.length > 0
  }

  type Step = { shop: Shop; run: MaintenanceRun; isReached: () => unknown }

  /** Brings a run of an app of its own to a step. */
  async function begin(
    model: string,
    hold: Hold | undefined,
    isReached: (run: MaintenanceRun) => unknown,
  ): Promise<Step> {
    const shop = await makeShop(model)
    return beginAt(shop, hold, isReached)
  }

  async function beginAt(
    shop: Shop,
    hold: Hold | undefined,
    isReached: (run: MaintenanceRun) => unknown,
  ): Promise<Step> {
    const run = await start(shop)
    holds.set(run.execution_id, hold)
    return { shop, run, isReached: () => isReached(run) }
  }

  it('at any step leaves a run that ends as lease_expired, and an app that can be run again', async () => {
    const detectors = 'builtin/detectors'
    const isWaiting = ({ execution_id }: MaintenanceRun) => gate.waiting.has(execution_id)
    const first = stack.use(await startWorker())
    const claimed = await begin(detectors, { number: 1, what: 'request' }, isWaiting)
    const tool = await begin(detectors, { number: 2, what: 'answer' }, isWaiting)
    for (const { isReached } of [claimed, tool]) await until(isReached)
    // A statement waits at most ten seconds for a lock, so the step that needs it is the last.
    const unlockFindings = await lockTable(sql`lock table maintenance.findings in exclusive mode`)
    const finishing = await begin(detectors, undefined, () => waitsFor('maintenance.findings'))
    await until(finishing.isReached)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    await unlockFindings()

    const second = stack.use(await startWorker())
    const proposingShop = await makeShop('proposing/model')
    const modelShop = await makeShop('asked/model')
    const editedShop = await makeShop('edited/model')
    asked.next.push('silent')
    edited.next.push(EDIT, 'silent')
    proposing.next.push(EDIT, CHANGE)
    const model = await beginAt(modelShop, undefined, () => asked.asked.length === 1)
    const editing = await beginAt(editedShop, undefined, () => edited.asked.length === 2)
    for (const { isReached } of [model, editing]) await until(isReached)
    const unlockRevisions = await lockTable(sql`lock table apps.revisions in share mode`)
    const validating = await beginAt(proposingShop, undefined, () => waitsFor('apps.revisions'))
    await until(validating.isReached)
    second.child.kill('SIGKILL')
    await once(second.child, 'exit')
    await unlockRevisions()

    const all = Object.entries({ claimed, tool, finishing, model, editing, validating })
    const leases = await system.db.query<{ id: string; status: string; seconds: number }>(sql`
      select id, status, extract(epoch from lease_until - clock_timestamp()) as seconds from maintenance.runs
      where status in ('running', 'validating') order by id`)
    expect(leases.map(({ id }) => id)).toEqual(all.map(([, { run }]) => run.execution_id).toSorted())
    expect(leases.map(({ status }) => status)).toContain('validating')
    expect(Math.max(...leases.map(({ seconds }) => seconds))).toBeLessThanOrEqual(30)

    // The time of the leases passes.
    await system.db.query(sql`update maintenance.runs set lease_until = clock_timestamp() where status <> 'ended'`)
    stack.use(await startWorker())
    for (const [step, { shop, run }] of all) {
      const ended = await untilEnded(shop, run.execution_id)
      const { terminal_code, outcome, fingerprint, proposal_id } = ended
      const end = { terminal_code, outcome, fingerprint, proposal_id }
      const lost = { terminal_code: 'lease_expired', outcome: 'agent_error', fingerprint: null, proposal_id: null }
      expect([step, end]).toEqual([step, lost])
      await shop.client.call(changeOrgMaintenance, { org_id: shop.orgId, enabled: true, model: detectors })
      const { execution_id } = await start(shop)
      holds.set(execution_id, undefined)
      expect([step, (await untilEnded(shop, execution_id)).terminal_code]).toEqual([step, 'finding_recorded'])
    }
    const events = await until(async () => {
      const rows = await system.db.query<{ type: string; count: number }>(sql`
        select type, count(*) from notifications.events
        where type like 'application.maintenance.%' group by type order by type`)
      return rows.reduce((sum, { count }) => sum + count, 0) === 12 && rows
    })
    expect(events).toEqual([
      { type: 'application.maintenance.run.completed', count: 6 },
      { type: 'application.maintenance.run.failed', count: 6 },
    ])
  })
})
