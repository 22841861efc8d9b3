import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import type { Client } from '#contract/core/client.ts'
import { type MaintenanceRun, readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase } from '#test/database.ts'
import { WITHOUT_WORKER } from '#test/disable-races.ts'
import { workerOnly } from '#test/own-system.ts'
import { startProcess } from '#test/processes.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem, testEnvironment } from '#test/system.ts'
import { startToolGate, type ToolGate } from '#test/tool-gate.ts'
import { until } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const ALIAS = 'shop'
const FAULT = { level: 'error', text: "TypeError: Cannot read properties of undefined (reading 'price')" }

type Shop = { readonly orgId: string; readonly client: Client }

needs('postgres')('MA-05 a worker killed while it works at a run', () => {
  const stack = new AsyncDisposableStack()
  let system: System
  let env: Environment
  let gate: ToolGate
  /** The call of each run that gets no further. The gate waits until it is said. */
  const holds = new Map<string, { number: number; what: 'request' | 'answer' } | undefined>()

  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-maintenance-killed-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const database = stack.use(await openTestDatabase())
    env = testEnvironment(database.url, dataDir)
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

  async function makeShop(): Promise<Shop> {
    const { token, org_id: orgId } = await system.member('owner')
    const client = system.client(token)
    await client.call(createApp, { alias: ALIAS })
    const line = new Blob([`${JSON.stringify(FAULT)}\n`.repeat(3)]).stream()
    await client.upload(ingestLogs, { alias: ALIAS }, line, { contentType: 'application/x-ndjson' })
    await client.call(changeOrgMaintenance, { org_id: orgId, enabled: true, model: 'builtin/detectors' })
    await client.call(changeAppMaintenance, { alias: ALIAS, enabled: true })
    return { orgId, client }
  }

  const start = ({ client }: Shop) => client.call(startMaintenanceRun, { alias: ALIAS, mode: 'manual' })
  const untilEnded = ({ client }: Shop, execution_id: string): Promise<MaintenanceRun> =>
    until(async () => {
      const run = await client.call(readMaintenanceRun, { alias: ALIAS, execution_id })
      return run.status === 'ended' && run
    })

  /** Makes whoever records a finding wait until it is called back. */
  async function lockFindings(): Promise<() => Promise<void>> {
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = system.db.tx(async (tx) => {
      await tx.query(sql`lock table maintenance.findings in exclusive mode`)
      locked.resolve()
      await released.promise
    })
    await Promise.race([locked.promise, holding])
    return () => {
      released.resolve()
      return holding
    }
  }

  const waitsForTable = async () => {
    const rows = await system.db.query(sql`
      select 1 from pg_locks
      where relation = 'maintenance.findings'::regclass and not granted`)
    return rows.length > 0
  }

  it('at any step leaves a run that ends as lease_expired, and an app that can be run again', async () => {
    const worker = stack.use(await startWorker())
    const unlock = await lockFindings()
    const shops = { claimed: await makeShop(), tool: await makeShop(), finishing: await makeShop() }
    const runs = {
      claimed: await start(shops.claimed),
      tool: await start(shops.tool),
      finishing: await start(shops.finishing),
    }
    holds.set(runs.claimed.execution_id, { number: 1, what: 'request' })
    holds.set(runs.tool.execution_id, { number: 2, what: 'answer' })
    holds.set(runs.finishing.execution_id, undefined)
    await until(() => gate.waiting.has(runs.claimed.execution_id) && gate.waiting.has(runs.tool.execution_id))
    await until(waitsForTable)

    worker.child.kill('SIGKILL')
    await once(worker.child, 'exit')
    await unlock()
    const leases = await system.db.query<{ id: string; seconds: number }>(sql`
      select id, extract(epoch from lease_until - clock_timestamp()) as seconds from maintenance.runs
      where status in ('running', 'validating') order by id`)
    const ids = Object.values(runs).map(({ execution_id }) => execution_id)
    expect(leases.map(({ id }) => id)).toEqual(ids.toSorted())
    expect(Math.max(...leases.map(({ seconds }) => seconds))).toBeLessThanOrEqual(30)

    // The time of the leases passes.
    await system.db.query(sql`update maintenance.runs set lease_until = clock_timestamp() where status <> 'ended'`)
    stack.use(await startWorker())
    for (const [step, shop] of Object.entries(shops)) {
      const ended = await untilEnded(shop, runs[step as keyof typeof runs].execution_id)
      expect([step, ended.terminal_code, ended.outcome, ended.fingerprint]).toEqual([
        step,
        'lease_expired',
        'agent_error',
        null,
      ])
      const { execution_id } = await start(shop)
      holds.set(execution_id, undefined)
      const again = await untilEnded(shop, execution_id)
      expect([step, again.terminal_code]).toEqual([step, 'finding_recorded'])
    }
    const events = await until(async () => {
      const rows = await system.db.query<{ type: string; count: number }>(sql`
        select type, count(*) from notifications.events
        where type like 'application.maintenance.%' group by type order by type`)
      return rows.reduce((sum, { count }) => sum + count, 0) === 6 && rows
    })
    expect(events).toEqual([
      { type: 'application.maintenance.run.completed', count: 3 },
      { type: 'application.maintenance.run.failed', count: 3 },
    ])
  })
})
