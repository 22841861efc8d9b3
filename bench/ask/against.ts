import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type LoadTarget, load } from '../help/load.ts'
import { mcpAsked } from '../help/mcp.ts'
import { oursAsked } from '../help/ours.ts'
import { cpuMs, untilIdle } from '../help/processes.ts'
import type { Source } from '../help/source.ts'

/**
 * `node bench/ask/against.ts <checkout> [pairs]`: processor time of a question with this code, over HTTP, over MCP with a
 * token and over MCP as a connected agent, as ratios to that of another checkout, which has its own `node_modules`. Both
 * serve at the same time and are asked in turn for less than a second, because on a shared machine the medians of whole runs
 * differ by a fifth, also those of one checkout.
 */
const CALLERS = 32
const ROWS = 20_000
const SECONDS = 0.8
const WARM_SECONDS = 8
const SETTLE_LIMIT_MS = 180_000
const here = join(import.meta.dirname, '../..')

type Side = AsyncDisposable & {
  asked: readonly LoadTarget[]
  measure(asked: LoadTarget, seconds: number): Promise<number>
  settle(): Promise<void>
}

/** In the order of the targets of a side. */
const WAYS = ['HTTP', 'MCP with a token', 'MCP as an agent']

const [other, pairs = '140'] = process.argv.slice(2)
if (other === undefined) throw new Error('Name the checkout to compare with.')
await using stack = new AsyncDisposableStack()
const theirs = stack.use(await serve(resolve(other)))
const ours = stack.use(await serve(here))
await warm()
// A source that is in use is measured half a minute later, by a loop of the same process.
for (const side of [theirs, ours]) await side.settle()
await warm()
for (const [way, name] of WAYS.entries()) report(name, await measurePairs(way))

async function warm(): Promise<void> {
  for (const side of [theirs, ours]) for (const asked of side.asked) await side.measure(asked, WARM_SECONDS)
}

type Pair = { ours: number; theirs: number }

async function measurePairs(way: number): Promise<Pair[]> {
  const measured: Pair[] = []
  const cpuOf = (side: Side) => side.measure(side.asked[way]!, SECONDS)
  for (let pair = 0; pair < Number(pairs); pair++) {
    if (pair % 2 === 0) measured.push({ theirs: await cpuOf(theirs), ours: await cpuOf(ours) })
    else measured.push({ ours: await cpuOf(ours), theirs: await cpuOf(theirs) })
  }
  return measured
}

function report(name: string, measured: readonly Pair[]): void {
  const logs = measured.map((pair) => Math.log(pair.ours / pair.theirs))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const error = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0)) / logs.length
  const medianOf = (side: 'ours' | 'theirs') => measured.map((pair) => pair[side]).toSorted((a, b) => a - b)
  const [before, now] = (['theirs', 'ours'] as const).map((side) => medianOf(side)[measured.length >> 1]!.toFixed(3))
  console.log(
    `${name}: ratio ${Math.exp(mean).toFixed(3)}, standard error ${error.toFixed(3)}; ${measured.length} pairs, ` +
      `load ${loadavg()[0]!.toFixed(1)}; CPU of a question ${before} ms there, ${now} ms here`,
  )
}

async function serve(checkout: string): Promise<Side> {
  const script = join(import.meta.dirname, 'serve-checkout.ts')
  const child = spawn(process.execPath, [script, checkout, String(ROWS)], {
    cwd: checkout,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { pid, url, questions, agent, ...source } = await readPlace(child)
  const asked = [
    oursAsked(url, source as Source, questions, false),
    mcpAsked(url, source, questions, '2026-07-28'),
    mcpAsked(url, { ...source, token: agent }, questions, '2026-07-28'),
  ]
  return {
    asked,
    async measure(target, seconds) {
      const startMs = cpuMs(pid)
      const { asked: answered } = await load(target, CALLERS, seconds)
      return (cpuMs(pid) - startMs) / answered
    },
    settle: () => untilIdle(pid, SETTLE_LIMIT_MS),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

type Place = Pick<Source, 'id' | 'token'> & {
  pid: number
  url: string
  questions: number
  /** Access token of a connected agent. */
  agent: string
}

/** Returns the first line of a JSON object that the child prints. */
async function readPlace(child: ChildProcess): Promise<Place> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{')) return JSON.parse(line) as Place
  }
  throw new Error('the checkout did not start')
}
