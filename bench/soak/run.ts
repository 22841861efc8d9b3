import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Floor, requireFloors } from '../help/floors.ts'
import { type LoadTarget, load, loadSteadily, type Turn } from '../help/load.ts'
import { makeSecrets, oursAsked, startOurs } from '../help/ours.ts'
import { openFiles, pssMb } from '../help/processes.ts'
import { makeQuestions, startEmbedder } from '../help/questions.ts'
import { makeSource } from '../help/source.ts'
import { startStores, storesMissing } from '../help/stores.ts'
import { SEED } from '../help/vectors.ts'
import { growth, lastToFirst, lows, median, percentPerMinute, type Sample } from './trend.ts'

/**
 * Holds the server at 70 % of the load that it can take, and watches whether its memory, its open files, its connections
 * to Postgres or its latency grow. `--minutes 10` is the length of the load, after which the verdict is printed.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, tenth: { type: 'boolean' }, built: { type: 'boolean' } },
})
const tenth = values.tenth === true
const SECONDS = tenth ? 8 : Number(values.minutes) * 60
const PEAK_SECONDS = tenth ? 2 : 10
const SHARE_OF_PEAK = 0.7
const CONCURRENCY = 32
const ROWS = 5_000
const SAMPLE_MS = Math.max(1_000, (SECONDS * 1000) / 120)
/** Share of the load in which caches, pools and compiled code still fill. */
const WARM_UP_SHARE = 0.3
const MEMORY_WINDOWS = 8
const MAX_MEMORY_GROWTH = 1
const MAX_LATENCY_GROWTH = 1.5
/** Connections of other clients come and go, a leak does not stop. */
const MAX_MORE_FILES = 10
const MAX_MORE_CONNECTIONS = 5

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
if (!(SECONDS > 0)) throw new Error('--minutes must be a number above 0.')
const dir = mkdtempSync(join(tmpdir(), 'svc-soak-run-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const stores = stack.use(await startStores())
  const questions = makeQuestions()
  const { provider } = stack.use(await startEmbedder(questions))
  const secrets = makeSecrets()
  const server = stack.use(await startOurs({ ...stores, provider, dataDir: join(dir, 'svc') }, secrets))
  const source = await makeSource(server.url, secrets.SVC_OPERATOR_TOKEN, stores.databaseUrl, ROWS)
  const asked = oursAsked(server.url, source, questions.length, false)
  await load(asked, CONCURRENCY, PEAK_SECONDS)
  const peak = (await load(asked, CONCURRENCY, PEAK_SECONDS)).perSecond
  console.log(
    `peak ${peak.toFixed(0)} questions a second at ${CONCURRENCY} at once; held ${SECONDS} s at ` +
      `${(peak * SHARE_OF_PEAK).toFixed(0)}; seed ${SEED}; load ${loadavg()[0]!.toFixed(1)}`,
  )
  requireFloors(judge(await hold(asked, peak * SHARE_OF_PEAK, server.pid, stores.databaseUrl)))
} finally {
  await stack.disposeAsync()
}

/** Samples the server while it is asked `perSecond` questions a second. */
async function hold(target: LoadTarget, perSecond: number, pid: number, databaseUrl: string): Promise<Sample[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const ending = new AbortController()
  let turns: Turn[] = []
  const loaded = loadSteadily(target, { concurrency: CONCURRENCY, perSecond, signal: ending.signal }, (turn) => {
    turns.push(turn)
  })
  const samples: Sample[] = []
  const started = performance.now()
  try {
    while (performance.now() - started < SECONDS * 1000) {
      await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))])
      const took = turns.map(({ ms }) => ms).toSorted((a, b) => a - b)
      turns = []
      if (took.length === 0) throw new Error('no question was answered')
      const { rows } = await client.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where backend_type = 'client backend'`,
      )
      const [p50, p99] = [0.5, 0.99].map((share) => took[Math.floor(took.length * share)]!) as [number, number]
      const at = performance.now() - started
      samples.push({ at, pssMb: pssMb(pid), files: openFiles(pid), connections: rows[0]!.n, p50, p99 })
    }
  } finally {
    ending.abort()
    await loaded
    await client.end()
  }
  return samples
}

/** Prints what was sampled, a line for each tenth of the time, and returns the bounds. */
function judge(samples: readonly Sample[]): Floor[] {
  console.log('   time   memory  files  connections      p50       p99')
  const step = Math.max(1, Math.floor(samples.length / 10))
  for (const [i, { at, pssMb: memory, files, connections, p50, p99 }] of samples.entries()) {
    if (i % step !== 0 && i !== samples.length - 1) continue
    console.log(
      `${(at / 1000).toFixed(0).padStart(5)} s ${memory.toFixed(1).padStart(6)} MB ${String(files).padStart(5)} ` +
        `${String(connections).padStart(9)}    ${p50.toFixed(2).padStart(7)} ms ${p99.toFixed(2).padStart(7)} ms`,
    )
  }
  const warm = samples.filter(({ at }) => at >= SECONDS * 1000 * WARM_UP_SHARE)
  const memory = percentPerMinute(
    lows(
      warm.map(({ at, pssMb: value }) => ({ at, value })),
      MEMORY_WINDOWS,
    ),
  )
  console.log(
    `after the warm-up: memory ${median(warm.map((one) => one.pssMb)).toFixed(1)} MB, ${memory.toFixed(2)} % a minute; ` +
      `p50 of the last third ${lastToFirst(warm.map((one) => one.p50)).toFixed(2)} of the first third`,
  )
  const leaks: Floor[] = [
    { name: 'more open files', value: growth(warm.map((one) => one.files)), atMost: MAX_MORE_FILES },
    {
      name: 'more connections to Postgres',
      value: growth(warm.map((one) => one.connections)),
      atMost: MAX_MORE_CONNECTIONS,
    },
  ]
  // Seconds are too short for a slope, and a busy machine decides the latency.
  if (tenth) return leaks
  return [
    ...leaks,
    { name: 'growth of the lows of memory, % a minute', value: memory, atMost: MAX_MEMORY_GROWTH },
    {
      name: 'p50 of the last third to the first third',
      value: lastToFirst(warm.map((one) => one.p50)),
      atMost: MAX_LATENCY_GROWTH,
    },
  ]
}
