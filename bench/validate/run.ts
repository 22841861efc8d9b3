import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { Pool } from 'undici'

/**
 * Measures the validation of a token in process and over HTTP, compared to the same look-up as a prepared statement and
 * the same bytes through a bare node:http server. Rounds alternate. Set SVC_TEST_DATABASE_URL for a real Postgres;
 * without it the embedded engine is used.
 */
const tenth = process.argv.includes('--tenth')
const CALLS = tenth ? 1_000 : 10_000
const ROUNDS = tenth ? 1 : 5
const CONCURRENCY = 32
const server = process.env.SVC_TEST_DATABASE_URL

type Measure = { perSecond: number; cpuMicros: number }
const WAYS = ['statement', 'in process', 'bare http', 'http'] as const
type Way = (typeof WAYS)[number]

const database = `svc_bench_${randomBytes(4).toString('hex')}`
if (server) await onServer(`create database ${database}`)
const child = fork(join(import.meta.dirname, 'server.ts'), server ? [withDatabase(server, database)] : [])
try {
  const [{ url, bareUrl, token }] = (await once(child, 'message')) as [{ url: string; bareUrl: string; token: string }]
  const results: Record<Way, Measure[]> = { statement: [], 'in process': [], 'bare http': [], http: [] }
  const measure = (way: Way) => {
    if (way === 'statement' || way === 'in process') return inside(child, way)
    return overHttp(child, way === 'http' ? url : bareUrl, token)
  }
  for (let round = -1; round < ROUNDS; round++) {
    for (const way of WAYS) {
      const measured = await measure(way)
      if (round >= 0) results[way].push(measured)
    }
  }
  print(results)
} finally {
  child.disconnect()
  await once(child, 'exit')
  if (server) await onServer(`drop database ${database} with (force)`)
}

async function ask<T>(to: ChildProcess, message: object): Promise<T> {
  to.send(message)
  return ((await once(to, 'message')) as [T])[0]
}

function inside(to: ChildProcess, way: Way): Promise<Measure> {
  return ask<Measure>(to, { way, calls: CALLS, concurrency: CONCURRENCY })
}

async function overHttp(to: ChildProcess, url: string, token: string): Promise<Measure> {
  const pool = new Pool(new URL(url).origin, { connections: CONCURRENCY })
  const body = JSON.stringify({ token })
  const headers = { 'content-type': 'application/json' }
  let left = CALLS
  const client = async () => {
    while (left-- > 0) {
      const answer = await pool.request({ path: '/api/v1/tokens/validate', method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
    }
  }
  const before = await ask<number>(to, { way: 'cpu' })
  const started = performance.now()
  await Promise.all(Array.from({ length: CONCURRENCY }, client))
  const seconds = (performance.now() - started) / 1000
  const cpuMicros = ((await ask<number>(to, { way: 'cpu' })) - before) / CALLS
  await pool.close()
  return { perSecond: CALLS / seconds, cpuMicros }
}

function print(results: Record<Way, Measure[]>): void {
  const engine = server ? 'Postgres' : 'the embedded engine'
  console.log(
    `${ROUNDS} rounds of ${CALLS} validations at concurrency ${CONCURRENCY} on ${engine}, medians; nothing is random`,
  )
  const statement = median(results.statement)
  const bare = median(results['bare http'])
  for (const way of WAYS) {
    const { perSecond, cpuMicros } = median(results[way])
    const ratio = (perSecond / statement.perSecond).toFixed(2)
    const own = ((cpuMicros - statement.cpuMicros) / 1000).toFixed(3)
    const edge = ((cpuMicros - statement.cpuMicros - bare.cpuMicros) / 1000).toFixed(3)
    console.log(
      `${way.padEnd(12)} ${perSecond.toFixed(0).padStart(6)}/s  ${ratio} of the statement  ${cpuMicros.toFixed(0)} us CPU` +
        (way === 'in process' || way === 'http' ? `   own ${own} ms CPU (limit 0.300)` : '') +
        (way === 'http' ? `, without node:http ${edge}` : ''),
    )
  }
}

function median(values: Measure[]): Measure {
  const pick = (of: (one: Measure) => number) => values.map(of).sort((a, b) => a - b)[Math.floor(values.length / 2)]!
  return { perSecond: pick((one) => one.perSecond), cpuMicros: pick((one) => one.cpuMicros) }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server! })
  await client.connect()
  await client.query(statement)
  await client.end()
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
