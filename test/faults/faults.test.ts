import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listFindings } from '#contract/maintenance/findings.ts'
import { readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { type App, FaultApp } from './fault-app.ts'
import { plantApp } from './plant.ts'

const FOLDER = join(import.meta.dirname, 'apps')

let system: System
let owner: Awaited<ReturnType<System['member']>>
beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  const change = { org_id: owner.org_id, enabled: true, model: 'builtin/detectors' }
  await system.client(owner.token).call(changeOrgMaintenance, change)
})
afterAll(() => system?.[Symbol.asyncDispose]())

/** Returns the summaries of what a run with the detectors alone finds in the app. */
async function findIn(alias: string, app: App): Promise<string[]> {
  const client = system.client(owner.token)
  await plantApp(system, owner, alias, app)
  const { execution_id } = await client.call(startMaintenanceRun, { alias, mode: 'manual' })
  await until(async () => (await client.call(readMaintenanceRun, { alias, execution_id })).status === 'ended')
  const { items } = await client.call(listFindings, { alias })
  for (const { lines, explanation } of items) expect([lines.length > 0, explanation !== '']).toEqual([true, true])
  return items.map(({ kind, summary }) => `${kind}: ${summary}`)
}

it('MA-30 the detectors find the faults of apps in this folder, and nothing in their healthy twins', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json')).sort()
  const missed: string[] = []
  const alarms: string[] = []
  for (const [index, name] of names.entries()) {
    const { faulty, healthy } = FaultApp.parse(JSON.parse(await readFile(join(FOLDER, name), 'utf8')))
    const [found, inTwin] = await Promise.all([findIn(`faulty-${index}`, faulty), findIn(`healthy-${index}`, healthy)])
    if (found.length === 0) missed.push(name)
    alarms.push(...inTwin.map((summary) => `${name}: ${summary}`))
    console.log([name, ...found].join('\n  '))
  }
  console.log(`found ${names.length - missed.length} of ${names.length} faults, ${alarms.length} false alarms`)
  expect({ missed, alarms }).toEqual({ missed: [], alarms: [] })
})
