import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPostgres } from '#lib/db/postgres.ts'
import { countUnderWay } from '#test/deliveries/delivery-ledger.ts'
import { startSink } from '#test/deliveries/delivery-sink.ts'
import { until, untilDone } from '#test/until.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { prepareGrounds } from './grounds.ts'
import { type Load, startLoad } from './load.ts'
import { balanceOf, type FaultRow, printKinds, printRows, rowOf } from './report.ts'

const HERE = join(import.meta.dirname, '..', '..')

/**
 * `npm run test:cluster [-- --former COMMIT] [-- --only PATTERN]`: two of every service behind HAProxy, Postgres with a
 * synchronous standby, and Redis, all on this machine. Makes one fault after another under load and prints what each did.
 * With --former the cluster begins with the code of that commit and is upgraded under load. --only takes the faults whose
 * name matches the regular expression. Needs SVC_TEST_DATABASE_URL, which says where the programs of Postgres are.
 */
const { values } = parseArgs({ options: { former: { type: 'string' }, only: { type: 'string' } } })
await using stack = new AsyncDisposableStack()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(130)))
}
const former = values.former === undefined ? undefined : checkOut(values.former, stack)
const sink = stack.use(await startSink(() => 0.5))
sink.beReliable()
console.log('starting Postgres with a standby, Redis, HAProxy and ten processes')
const cluster = stack.use(await startCluster({ sinkPort: sink.port, ...(former && { checkout: former }) }))
const db = stack.use(openPostgres({ url: cluster.databaseUrl, onError: () => undefined }))
const grounds = stack.use(await prepareGrounds(cluster.url, cluster.mcpUrl, cluster.env, db))
const rows: FaultRow[] = []
console.log('all are ready; load begins')
const load = startLoad(grounds)
try {
  for (const [name, make] of faultsOf(cluster, former !== undefined)) {
    if (values.only !== undefined && !new RegExp(values.only).test(name)) continue
    await untilSteady(load)
    const from = performance.now()
    await make()
    const to = performance.now()
    await untilSteady(load)
    const row = rowOf({ name, from, to }, load, performance.now())
    rows.push(row)
    printRows([row])
  }
} finally {
  await load[Symbol.asyncDispose]()
}
await until(async () => (await untilDone(() => countUnderWay(db))) === 0)
printKinds(load)
const balance = await balanceOf(db, load, grounds, sink)
console.log(JSON.stringify(balance, null, 2))
const isWrong = rows.some(({ faults }) => faults.length > 0) || balance.lost.length + balance.duplicates.length > 0
const logs = join(mkdtempSync(join(tmpdir(), 'svc-cluster-logs-')), 'output.txt')
writeFileSync(logs, cluster.replicas.flatMap(({ name, output }) => output.map((line) => `${name} ${line}`)).join('\n'))
console.log(`output of all processes: ${logs}`)
if (isWrong) process.exitCode = 1

/** Resolves when every kind of request has succeeded five times in a row. */
async function untilSteady({ attempts }: Load): Promise<void> {
  const since = performance.now()
  let reportAt = since + 20_000
  await until(async () => {
    await wait(100)
    if (performance.now() > reportAt) {
      reportAt += 20_000
      const recentErrors = attempts.filter(({ to, error }) => error !== undefined && to > performance.now() - 20_000)
      const lines = recentErrors.map(({ kind, error, detail }) => `    ${kind}: ${error} ${detail ?? ''}`)
      console.log(`  waiting for steady answers since ${Math.round((performance.now() - since) / 1000)} s`)
      console.log([...new Set(lines)].slice(0, 8).join('\n'))
    }
    const recent = attempts.filter(({ from }) => from >= since)
    const kinds = [...Map.groupBy(recent, ({ kind }) => kind).values()]
    return (
      kinds.length === 5 &&
      kinds.every((ofKind) => ofKind.length >= 10 && ofKind.slice(-10).every(({ error }) => error === undefined))
    )
  })
}

function faultsOf(on: Cluster, isUpgraded: boolean): [string, () => Promise<void>][] {
  const { replicas } = on
  const restart = async (replica: Cluster['replicas'][number]) => {
    const code = await replica.terminate()
    if (code !== 0) throw new Error(`${replica.name} ended with ${code} after SIGTERM`)
    await replica.launch()
    await replica.ready()
    // The load balancer needs two good checks before it sends requests to it again.
    await wait(1_500)
  }
  const upgrade = async () => {
    for (const replica of replicas) await restart(replica)
  }
  const firsts = replicas.filter(({ name }) => name.endsWith(' a'))
  return [
    ...(isUpgraded ? [['rolling upgrade from the former commit', upgrade] as [string, () => Promise<void>]] : []),
    ...replicas.map((replica): [string, () => Promise<void>] => [`SIGTERM of ${replica.name}`, () => restart(replica)]),
    ...firsts.map((replica): [string, () => Promise<void>] => [
      `kill -9 of ${replica.name}`,
      async () => {
        await replica.kill()
        await wait(2_000)
        await replica.launch()
        await replica.ready()
        await wait(1_500)
      },
    ]),
    ...firsts.map((replica): [string, () => Promise<void>] => [
      `${replica.name} frozen for 20 s`,
      async () => {
        replica.freeze()
        await wait(20_000)
        replica.thaw()
        await wait(1_500)
      },
    ]),
    [
      'Redis stopped for 10 s',
      async () => {
        await on.stopRedis()
        await wait(10_000)
        await on.startRedis()
      },
    ],
    ['Postgres restarted', () => on.primary.restart()],
    [
      'replicas b cut off for 30 s',
      async () => {
        on.cut()
        await wait(30_000)
        on.mend()
      },
    ],
    ['failover to the standby', () => on.failOver()],
  ]
}

/** Checks the commit out beside this one, with the packages of this checkout and the worker that reaches the sink. */
function checkOut(commit: string, cleanup: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-former-'))
  execFileSync('git', ['worktree', 'add', '--detach', '--force', folder, commit], { cwd: HERE, stdio: 'ignore' })
  cleanup.defer(() => {
    execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: HERE })
    rmSync(folder, { recursive: true, force: true })
  })
  symlinkSync(join(HERE, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'test', 'cluster'), { recursive: true })
  for (const file of ['cluster/worker-program.ts', 'help/outside/internet.ts']) {
    cpSync(join(HERE, 'test', file), join(folder, 'test', file))
  }
  return folder
}
