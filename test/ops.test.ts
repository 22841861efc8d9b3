import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { OPERATIONS } from '#contract/operations.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { needs, stores } from '#test/stores.ts'
import { createBackupMetrics } from '../src/server/areas/backups/index.ts'

const OPS = join(import.meta.dirname, '..', 'ops')
const read = (file: string) => readFileSync(join(OPS, file), 'utf8')

type Rules = { groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[] }
type Dashboard = { panels: { id: number; title: string; targets: { expr: string }[] }[] }

const rules = (parse(read('alerts.yaml')) as Rules).groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(read('grafana-dashboard.json')) as Dashboard
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]

/** The metrics that `/metrics` of a process has once it answered a request. */
async function exposedMetrics(): Promise<Set<string>> {
  const { registry, requests } = createMetrics({ processMetrics: true })
  createBackupMetrics(registry)({ goodAt: null, isOverdue: false })
  requests.of({ service: 'api-gateway', operation: 'system.health', status: 200 })(0.1)
  const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'))
  const described = (await registry.getMetricsAsJSON()).map(({ name }) => name)
  return new Set([...described, ...lines.map((line) => /^\w+/.exec(line)?.[0] ?? '')])
}

it('OP-03 every metric that the alerts and the dashboard name is one that processes expose', async () => {
  const exposed = await exposedMetrics()
  const named = expressions.flatMap((expr) => expr.match(/\b(?:svc|nodejs|process)_\w+/g) ?? [])
  expect(new Set(named).size).toBeGreaterThan(10)
  expect([...new Set(named)].filter((name) => !exposed.has(name))).toEqual([])
})

it('OP-03 every operation that the alerts and the dashboard name exists', () => {
  const named = expressions.flatMap((expr) => [...expr.matchAll(/operation="([^"]+)"/g)].map(([, name]) => name!))
  expect(named).toContain('data-sources.query')
  const operationNames: readonly string[] = OPERATIONS.map(({ name }) => name)
  expect(named.filter((name) => !operationNames.includes(name))).toEqual([])
})

it('OP-03 every alert says what happened and what to do, and every panel has its own id', () => {
  for (const { alert, annotations } of rules) {
    expect([alert, Object.keys(annotations)]).toEqual([alert, ['summary', 'description']])
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

needs('promtool')('the alert rules, read by Prometheus', () => {
  it('OP-03 each alert fires for its fault, and none without one', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(stores.promtool!, ['check', 'rules', 'alerts.yaml'], { cwd: OPS })
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`)
    const tested = await run(stores.promtool!, ['test', 'rules', 'alerts.test.yaml'], { cwd: OPS })
    expect(tested.stdout).toContain('SUCCESS')
    const named = rules.map(({ alert }) => alert).filter((alert) => !read('alerts.test.yaml').includes(`"${alert}"`))
    expect(named).toEqual([])
  })
})
