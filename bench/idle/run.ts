import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { requireFloors } from '../help/floors.ts'
import { cpuMs, start } from '../help/processes.ts'
import { startStores, storesMissing } from '../help/stores.ts'
import { openDatabase } from '../notify/system.ts'
import { startEmbedded, startFive, startWhole } from './installations.ts'
import { countStatements, type StatementCounter } from './statement-counter.ts'

/**
 * CPU and statements of servers that nobody asks, for ten minutes (`--minutes N`), beside an idle Hono server and an idle
 * Postgres, all at the same time. `--statements` also prints which statements there were.
 */
const tenth = process.argv.includes('--tenth')
const at = process.argv.indexOf('--minutes')
const MINUTES = at === -1 ? (tenth ? 0.25 : 10) : Number(process.argv[at + 1])
/** A start does work that is not repeated: the example’s source is measured minutes later, for half a minute. */
const SETTLE_MS = tenth ? 5_000 : 5 * 60_000
const MAX_CORE_PERCENT = 0.5
const MAX_STATEMENTS_A_SECOND = 1
/** A tenth has one server and counts its statements soon after the start, which does more than an idle server. */
const TENTH_STATEMENTS_A_SECOND = 6

type Measured = { readonly pids: readonly number[]; readonly counter?: StatementCounter }

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
await using stack = new AsyncDisposableStack()
const dir = mkdtempSync(join(tmpdir(), 'svc-idle-'))
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
const stores = stack.use(await startStores())
const measured: Record<string, Measured> = { ...(await startOne()), ...(tenth ? {} : await startOthers()) }
await setTimeout(SETTLE_MS)
for (const { counter } of Object.values(measured)) counter?.counts.clear()
const before = Object.values(measured).map(({ pids }) => sumCpu(pids))
const began = performance.now()
await setTimeout(MINUTES * 60_000)
const seconds = (performance.now() - began) / 1000
const rows = Object.entries(measured).map(([name, { pids, counter }], place) => ({
  name,
  corePercent: (sumCpu(pids) - before[place]!) / (seconds * 10),
  statements: counter && total(counter) / seconds,
}))
console.log(`${seconds.toFixed(0)} s, load ${loadavg()[0]!.toFixed(1)}; nothing is random`)
for (const { name, corePercent, statements } of rows) {
  const rate = statements === undefined ? '' : `   ${statements.toFixed(2)} statements/s`
  console.log(`${name.padEnd(38)} ${corePercent.toFixed(2).padStart(6)} % of a core${rate}`)
}
if (process.argv.includes('--statements')) for (const { counter } of Object.values(measured)) printStatements(counter)
requireFloors(rows.filter(({ name }) => name.startsWith('svc')).flatMap((row) => floorsOf(row)))

async function startOne(): Promise<Record<string, Measured>> {
  const counter = await watched('svc_idle_whole')
  const { pid } = stack.use(await startWhole({ ...stores, databaseUrl: counter.url }, join(dir, 'whole')))
  return { 'svc on Postgres, one process': { pids: [pid], counter } }
}

async function startOthers(): Promise<Record<string, Measured>> {
  const quiet = stack.use(await startStores())
  const hono = stack.use(await start(process.execPath, [join(import.meta.dirname, 'bare-server.ts')], /ready at (\d+)/))
  const embedded = stack.use(await startEmbedded(join(dir, 'embedded'), false))
  const example = stack.use(await startEmbedded(join(dir, 'example'), true))
  const counter = await watched('svc_idle_five')
  const five = await startFive({ ...stores, databaseUrl: counter.url }, join(dir, 'five'))
  for (const server of five) stack.use(server)
  return {
    'svc on Postgres, five processes': { pids: five.map(({ pid }) => pid), counter },
    'Postgres of both': { pids: [stores.postmaster] },
    'svc, embedded': { pids: [embedded.pid] },
    'the same with the app of the example': { pids: [example.pid] },
    'Hono, idle': { pids: [hono.pid] },
    'Postgres, idle, nobody connected': { pids: [quiet.postmaster] },
  }
}

async function watched(name: string): Promise<StatementCounter> {
  const { db, url } = await openDatabase(stores.databaseUrl, name)
  await db[Symbol.asyncDispose]()
  return stack.use(await countStatements(url))
}

function sumCpu(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMs(pid), 0)
}

function total({ counts }: StatementCounter): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

function printStatements(counter: StatementCounter | undefined): void {
  if (!counter) return
  const { counts } = counter
  console.log('')
  for (const [text, count] of [...counts].toSorted(([, a], [, b]) => b - a)) {
    console.log(`${String(count).padStart(6)}  ${text.slice(0, 180)}`)
  }
}

function floorsOf({ name, corePercent, statements }: (typeof rows)[number]) {
  const atMost = tenth ? TENTH_STATEMENTS_A_SECOND : MAX_STATEMENTS_A_SECOND
  return [
    ...(statements === undefined ? [] : [{ name: `${name}, statements a second`, value: statements, atMost }]),
    ...(tenth ? [] : [{ name: `${name}, % of a core`, value: corePercent, atMost: MAX_CORE_PERCENT }]),
  ]
}
