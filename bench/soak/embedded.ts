import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createOrg } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { pssMb, start } from '../help/processes.ts'
import { lows, median, percentPerMinute } from './trend.ts'

/**
 * Mixed load on the embedded default: questions, statements through a connection string, and new organizations. Watches
 * the memory of the server's process. `--minutes 15` is the length of the load, of which the first is the warm-up.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, 'rest-seconds': { type: 'string', default: '60' } },
})
const SECONDS = Number(values.minutes) * 60
const REST_SECONDS = Number(values['rest-seconds'])
const WARM_UP_SECONDS = Math.min(60, SECONDS / 3)
const SAMPLE_MS = 2_000
const MEMORY_WINDOWS = 8
const MAIN = join(import.meta.dirname, '..', '..', 'src', 'server', 'main.ts')

type FirstRun = { api_key: string; operator_token: string }
type Sample = { at: number; pss: number; heap: number }

const dir = mkdtempSync(join(tmpdir(), 'svc-soak-embedded-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const env = { HOST: '127.0.0.1', PORT: '0', SVC_DATA_DIR: dir, SVC_QUESTIONS_PER_MINUTE: '1000000000' }
  const limits = { SVC_QUESTIONS_PER_DAY: '1000000000', PATH: process.env.PATH ?? '' }
  const args = ['--max-semi-space-size=16', MAIN]
  const server = stack.use(await start(process.execPath, args, /svc ready at (\S+)/, { env: { ...env, ...limits } }))
  const first = JSON.parse(readFileSync(join(dir, 'first-run.json'), 'utf8')) as FirstRun
  const headers = { authorization: `Bearer ${first.api_key}`, 'content-type': 'application/json' }
  const client = createClient({ baseUrl: server.url, fetch, headers: () => headers })
  await client.call(createDatabase, { name: 'soak' })
  const { connection_string } = await client.call(readConnection, { name: 'soak' })
  const sql = new pg.Client({ connectionString: connection_string })
  await sql.connect()
  await sql.query('create table things (n int, filler text)')
  const samples: Sample[] = []
  const counts = { questions: 0, statements: 0, organizations: 0 }
  const started = performance.now()
  const ask = async () => {
    const url = `${server.url}/api/wf/slim/data-sources/db_handbook/query`
    const body = JSON.stringify({ query: `question ${counts.questions % 50}`, top_k: 3 })
    const response = await fetch(url, { method: 'POST', headers, body })
    if (response.ok) counts.questions++
    await response.arrayBuffer()
  }
  const state = async () => {
    await sql.query('insert into things values ($1, $2)', [counts.statements, 'x'.repeat(100)])
    await sql.query('select count(*) from things where n > $1', [counts.statements - 10])
    if (counts.statements % 1000 === 0) await sql.query('truncate things')
    counts.statements += 2
  }
  const make = async () => {
    await client.call(createOrg, { name: `Org ${counts.organizations++}` }).catch(() => undefined)
    await delay(1_000)
  }
  const isOver = () => performance.now() - started >= SECONDS * 1000
  const repeat = async (work: () => Promise<void>) => {
    while (!isOver()) await work()
  }
  const heapMb = async () => {
    const response = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${first.operator_token}` },
    })
    return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(await response.text())?.[1]) / 1024 ** 2
  }
  const sample = async () => {
    samples.push({ at: performance.now() - started, pss: pssMb(server.pid), heap: await heapMb() })
    await delay(SAMPLE_MS)
  }
  await Promise.all([repeat(ask), repeat(ask), repeat(state), repeat(make), repeat(sample)])
  await sql.end()
  await delay(REST_SECONDS * 1000)
  requireFloors(judge(samples, counts, Math.min(await heapMb(), await heapMb())))
} finally {
  await stack.disposeAsync()
}

function judge(samples: readonly Sample[], counts: Record<string, number>, restedHeap: number): Floor[] {
  const warm = samples.filter(({ at }) => at >= WARM_UP_SECONDS * 1000)
  const growth = percentPerMinute(
    lows(
      warm.map(({ at, pss }) => ({ at, value: pss })),
      MEMORY_WINDOWS,
    ),
  )
  const heap = median(warm.slice(0, 5).map((one) => one.heap))
  console.log(
    `${JSON.stringify(counts)} in ${SECONDS} s; memory ${warm[0]?.pss.toFixed(0)} to ${warm.at(-1)?.pss.toFixed(0)} MB, ` +
      `${growth.toFixed(2)} % a minute; heap ${heap.toFixed(0)} MB after the warm-up, ${restedHeap.toFixed(0)} MB after a rest`,
  )
  return [
    { name: 'growth of the lows of memory, % a minute', value: growth, atMost: 1 },
    { name: 'heap after a rest to the heap after the warm-up', value: restedHeap / heap, atMost: 1.1 },
  ]
}
