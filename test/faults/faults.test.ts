import { afterAll, beforeAll, expect, it } from 'vitest'
import { listFindings } from '#contract/maintenance/findings.ts'
import { readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { App } from './fault-app.ts'
import { plantApp } from './plant.ts'
import { readPairs } from './read-pairs.ts'

let system: System
let owner: Awaited<ReturnType<System['member']>>
beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  const change = { org_id: owner.org_id, enabled: true, model: 'builtin/detectors' }
  await system.client(owner.token).call(changeOrgMaintenance, change)
})
afterAll(() => system?.[Symbol.asyncDispose]())

/** Returns the kinds of what a run with the detectors alone finds in the app. */
async function findIn(alias: string, app: App): Promise<string[]> {
  const client = system.client(owner.token)
  await plantApp(system, owner, alias, app)
  const { execution_id } = await client.call(startMaintenanceRun, { alias, mode: 'manual' })
  await until(async () => (await client.call(readMaintenanceRun, { alias, execution_id })).status === 'ended')
  const { items } = await client.call(listFindings, { alias })
  for (const { lines, explanation } of items) expect([lines.length > 0, explanation !== '']).toEqual([true, true])
  return items.map(({ kind }) => kind)
}

// One of each kind. `pairs.test.ts` has all pairs without a server, and `test/long/faults.ts` with one.
it.each([
  ['apps', 'certificate-days', ['expiring']],
  ['apps', 'deploy-5xx', ['errors_after_deploy']],
  ['apps', 'flapping-health', ['flapping_check']],
  ['apps', 'memory-node-heap', ['memory_growth']],
  ['apps', 'timeout-payments', ['dependency_timeout']],
  ['held-out', 'deploy-logback-null-rate', ['error_in_code']],
  ['held-out', 'deploy-monolog-among-noise', ['error_in_logs']],
  ['held-out', 'slow-rails-invoices', ['slow_endpoint']],
])(
  'MA-30 a run with the detectors finds the fault of %s/%s and nothing in its healthy twin',
  async (folder, name, kinds) => {
    const { faulty, healthy } = (await readPairs(folder)).find((pair) => pair.name === name)!
    const found = await Promise.all([findIn(`${name}-1`, faulty), findIn(`${name}-2`, healthy)])
    expect(found).toEqual([kinds, []])
  },
)
