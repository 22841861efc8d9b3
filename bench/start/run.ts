import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { cpuMs, untilIdle } from '../help/processes.ts'
import { storesMissing } from '../help/stores.ts'
import { engineAlone, nodeAlone } from './alone.ts'
import { fillFurtherDatabase } from './further.ts'
import { askMany, type Copy, exampleOf, freshCopy, start, untilAnswered, untilReady } from './installation.ts'
import { memoryOf, watchPeak } from './memory.ts'
import { memoryOnPostgres } from './native.ts'

/**
 * Starts and memory of the embedded default as `npm start` runs it in a fresh clone, beside their limits, beside Node and
 * PGlite alone, and with `--against FOLDER` beside an earlier checkout with its dependencies installed. Ready means that
 * the readiness check passes and the console's first page is there. Memory is the proportional set size of the server
 * and every process below it but apps. `--starts` measures no questions, `--rounds N` starts N times. Rounds alternate.
 */
const LIMITS: Record<string, number> = {
  'first start, s': 5,
  'example answers, s': 10,
  'restart, s': 1.5,
  'memory after start, MB': 300,
  'memory after questions, MB': 550,
  'memory of each further database, MB': 150,
  'peak of memory, MB': 700,
  'memory on Postgres after questions, MB': 250,
}
const tenth = process.argv.includes('--tenth')
const startsOnly = process.argv.includes('--starts')
const ROUNDS = Number(optionOf('--rounds') ?? (tenth ? 1 : 3))
const QUESTIONS = tenth ? 100 : 10_000
const FURTHER_DATABASES = tenth ? 1 : 3
const SETTLE_LIMIT_MS = tenth ? 5_000 : 60_000
/** A look costs 10 to 40 ms of processor time. */
const LOOK_MS = 1_000

type Figures = Record<string, number>

const against = optionOf('--against')
const checkouts = [
  { name: 'this checkout', root: join(import.meta.dirname, '../..') },
  ...(against ? [{ name: 'the earlier one', root: resolve(against) }] : []),
]
const rounds = new Map<string, Figures[]>(checkouts.map(({ name }) => [name, []]))
const began = performance.now()
const loadBefore = loadavg()
for (let round = 0; round < ROUNDS; round++) {
  const isLast = round === ROUNDS - 1
  for (const { name, root } of checkouts) rounds.get(name)!.push(await measure(root, isLast && !startsOnly))
}
await print()

async function measure(root: string, withQuestions: boolean): Promise<Figures> {
  using copy = freshCopy(root)
  const first = await measureFirstStart(copy)
  const later = await measureRestart(copy, withQuestions)
  const peak = { 'peak of memory, MB': Math.max(first.peak, later.peak) }
  const isNative = withQuestions && !tenth && storesMissing() === undefined
  const native = isNative && { 'memory on Postgres after questions, MB': await memoryOnPostgres(copy, QUESTIONS) }
  return { ...first.figures, ...later.figures, ...peak, ...native }
}

async function measureFirstStart(copy: Copy): Promise<{ figures: Figures; peak: number }> {
  await using server = await start(copy)
  using watch = watchPeak(server.pid, LOOK_MS)
  const seconds = await untilReady(server)
  const cpu = cpuMs(server.pid) / 1000
  await untilAnswered(exampleOf(server, copy))
  const answered = (performance.now() - server.began) / 1000
  await untilIdle(server.pid, SETTLE_LIMIT_MS)
  const figures = { 'first start, s': seconds, 'CPU of it, s': cpu, 'example answers, s': answered }
  return { figures, peak: watch.peak() }
}

async function measureRestart(copy: Copy, withQuestions: boolean): Promise<{ figures: Figures; peak: number }> {
  await using server = await start(copy)
  using watch = watchPeak(server.pid, LOOK_MS)
  const seconds = await untilReady(server)
  const cpu = cpuMs(server.pid) / 1000
  const source = exampleOf(server, copy)
  await untilIdle(server.pid, SETTLE_LIMIT_MS)
  const idle = memoryOf(server.pid)
  const figures: Figures = { 'restart, s': seconds, 'CPU of the restart, s': cpu, 'memory after start, MB': idle.own }
  if (!withQuestions) return { figures, peak: watch.peak() }

  // On a busy machine the engine of the example can take longer to open than a question waits for it.
  await untilAnswered(source)
  await askMany(source, QUESTIONS)
  const used = memoryOf(server.pid)
  // The limit of the peak is for one open database; further ones have a limit of their own.
  const peak = watch.peak()
  for (let n = 1; n <= FURTHER_DATABASES; n++) await fillFurtherDatabase(source, `further_${n}`)
  const after = memoryOf(server.pid)
  Object.assign(figures, {
    'memory after questions, MB': used.own,
    '  of it the server, MB': used.server,
    '  of it the engine of the example, MB': used.engines,
    '  beside it the example app, MB': used.apps,
    'memory of each further database, MB': (after.own - used.own) / FURTHER_DATABASES,
    [`peak with ${FURTHER_DATABASES + 1} open databases, MB`]: watch.peak(),
  })
  return { figures, peak }
}

async function print(): Promise<void> {
  const node = await nodeAlone()
  const engine = tenth ? undefined : await engineAlone()
  console.log(`${ROUNDS} rounds, medians; ${startsOnly ? 'no' : QUESTIONS} questions in the last`)
  const [ours, other] = checkouts.map(({ name }) => rounds.get(name)!)
  for (const key of Object.keys(ours!.at(-1)!)) {
    const own = medianOf(ours!, key)
    const limit = LIMITS[key]
    const beside = limit
      ? `   limit ${limit}: ${own <= limit ? 'kept' : 'MISSED'}, ${(own / limit).toFixed(2)} of it`
      : ''
    const before = other && medianOf(other, key)
    const ratio = before === undefined ? '' : `   earlier ${before.toFixed(1)}: ${(own / before).toFixed(2)} of it`
    console.log(`${key.padEnd(40)} ${own.toFixed(1).padStart(7)}${beside}${ratio}`)
  }
  const line = (name: string, { seconds, mb }: { seconds: number; mb: number }) =>
    console.log(`${name.padEnd(40)} ${seconds.toFixed(1).padStart(7)} s   ${mb.toFixed(0)} MB`)
  line('node -e 0', node)
  if (engine) {
    line('PGlite alone, first start', engine.first)
    line('PGlite alone, restart', engine.again)
  }
  const load = [loadBefore, loadavg()].map(([minute]) => minute!.toFixed(1)).join(' before, ')
  console.log(`load of the machine ${load} after; took ${((performance.now() - began) / 1000).toFixed(0)} s`)
}

/** Only the last round has some of the figures. */
function medianOf(measured: readonly Figures[], key: string): number {
  const values = measured.flatMap((round) => round[key] ?? []).toSorted((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? Number.NaN
}

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}
