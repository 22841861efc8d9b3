import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { load } from '../help/load.ts'
import { oursAsked } from '../help/ours.ts'
import { cpuMs, untilIdle } from '../help/processes.ts'
import type { Source } from '../help/source.ts'

/**
 * `node bench/ask/against.ts <checkout> [pairs]`: processor time of a question over HTTP with this code, as a ratio to that
 * of another checkout, which has its own `node_modules`. Both serve at the same time and are asked in turn for less than a
 * second, because on a shared machine the medians of whole runs differ by a fifth, also those of one checkout.
 */
const CALLERS = 32
const ROWS = 20_000
const SECONDS = 0.8
const WARM_SECONDS = 8
const SETTLE_LIMIT_MS = 180_000
const here = join(import.meta.dirname, '../..')

type Side = AsyncDisposable & { measure(seconds: number): Promise<number>; settle(): Promise<void> }

const [other, pairs = '140'] = process.argv.slice(2)
if (other === undefined) throw new Error('Name the checkout to compare with.')
await using stack = new AsyncDisposableStack()
const theirs = stack.use(await serve(resolve(other)))
const ours = stack.use(await serve(here))
for (const side of [theirs, ours]) await side.measure(WARM_SECONDS)
// A source that is in use is measured half a minute later, by a loop of the same process.
for (const side of [theirs, ours]) await side.settle()
for (const side of [theirs, ours]) await side.measure(WARM_SECONDS)
const measured: { ours: number; theirs: number }[] = []
for (let pair = 0; pair < Number(pairs); pair++) {
  if (pair % 2 === 0) measured.push({ theirs: await theirs.measure(SECONDS), ours: await ours.measure(SECONDS) })
  else measured.push({ ours: await ours.measure(SECONDS), theirs: await theirs.measure(SECONDS) })
}
const logs = measured.map((pair) => Math.log(pair.ours / pair.theirs))
const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
const error = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0)) / logs.length
const medianOf = (side: 'ours' | 'theirs') => measured.map((pair) => pair[side]).toSorted((a, b) => a - b)
const [before, now] = (['theirs', 'ours'] as const).map((side) => medianOf(side)[measured.length >> 1]!.toFixed(3))
console.log(
  `${measured.length} pairs, load ${loadavg()[0]!.toFixed(1)}; CPU of a question ${before} ms there, ${now} ms here`,
)
console.log(`ratio ${Math.exp(mean).toFixed(3)}, standard error ${error.toFixed(3)}`)

async function serve(checkout: string): Promise<Side> {
  const script = join(import.meta.dirname, 'serve-checkout.ts')
  const child = spawn(process.execPath, [script, checkout, String(ROWS)], {
    cwd: checkout,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { pid, url, questions, ...source } = await readPlace(child)
  const asked = oursAsked(url, source as Source, questions, false)
  return {
    async measure(seconds) {
      const startMs = cpuMs(pid)
      const { asked: answered } = await load(asked, CALLERS, seconds)
      return (cpuMs(pid) - startMs) / answered
    },
    settle: () => untilIdle(pid, SETTLE_LIMIT_MS),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

type Place = Pick<Source, 'id' | 'token'> & { pid: number; url: string; questions: number }

/** Returns the first line of a JSON object that the child prints. */
async function readPlace(child: ChildProcess): Promise<Place> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{')) return JSON.parse(line) as Place
  }
  throw new Error('the checkout did not start')
}
