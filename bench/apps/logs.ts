import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { PG_BIN, query } from '../help/stores.ts'
import { median } from './median.ts'
import type { AppServer } from './server.ts'

const ALIAS = 'logs'
/** So many make a body of 7 MB; 8 MB are accepted. */
const LINES_PER_BODY = 20_000
const IN_FLIGHT = 2
const run = promisify(execFile)

/** The same lines as bodies of requests and as a file for COPY. */
type Lines = { count: number; bodies: Blob[]; file: string }

/**
 * Measures lines a second that come in over HTTP, compared to psql's COPY of the same lines into a table without index or
 * identity. Returns the ratio of the medians.
 */
export async function benchLogs(
  server: AppServer,
  databaseUrl: string,
  dir: string,
  { count, rounds }: { count: number; rounds: number },
): Promise<number> {
  await server.client.call(createApp, { alias: ALIAS })
  await query(
    databaseUrl,
    'create table bare (app_id text, deploy_id text, at timestamptz, level smallint, source text, text text, dropped int)',
  )
  const lines = makeLines(count, dir)
  const perSecond: { ours: number[]; copy: number[] } = { ours: [], copy: [] }
  // The first round warms both up.
  for (let round = -1; round < rounds; round++) {
    const [ours, copy] = [await ingest(server, lines), await copyIn(databaseUrl, lines)]
    if (round < 0) continue
    perSecond.ours.push((count / ours) * 1000)
    perSecond.copy.push((count / copy) * 1000)
  }
  const [ours, copy] = [median(perSecond.ours), median(perSecond.copy)]
  const megabytes = (lines.bodies.reduce((sum, { size }) => sum + size, 0) / 2 ** 20).toFixed(1)
  console.log(`\n${count} lines, ${megabytes} MB of NDJSON, ${rounds} rounds; medians`)
  console.log(`svc over HTTP   ${ours.toFixed(0).padStart(8)} lines/s`)
  console.log(`COPY by psql    ${copy.toFixed(0).padStart(8)} lines/s`)
  return ours / copy
}

/** A line as loggers of web servers write them, of about 280 characters. */
function lineOf(n: number): string {
  const id = createHash('md5').update(String(n)).digest('hex')
  return (
    `method=GET path=/api/orders/${n % 5000}?expand=items status=200 duration_ms=${(n * 7919) % 1000} ` +
    `bytes=${(n * 104_729) % 50_000} user=usr_${id.slice(0, 20)} request_id=${id} region=eu-${n % 3} remote=192.0.2.${n % 255} ` +
    'user_agent="Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"'
  )
}

function makeLines(count: number, dir: string): Lines {
  const records = Array.from({ length: count }, (_, n) => {
    const at = new Date(Date.UTC(2026, 0, 31) + n).toISOString()
    return { text: lineOf(n), at, level: n % 50 === 0 ? 'warn' : 'info' } as const
  })
  const file = join(dir, 'lines.tsv')
  writeFileSync(
    file,
    records.map(({ text, at, level }) => `app\t\\N\t${at}\t${level === 'warn' ? 3 : 2}\tingest\t${text}\t0\n`).join(''),
  )
  const bodies: Blob[] = []
  for (let from = 0; from < count; from += LINES_PER_BODY) {
    const lines = records.slice(from, from + LINES_PER_BODY).map((record) => `${JSON.stringify(record)}\n`)
    bodies.push(new Blob([lines.join('')]))
  }
  return { count, file, bodies }
}

/**
 * Returns the milliseconds until the server answered that all lines are stored. Sends a body while it waits for the answer
 * to the one before, as shippers of logs do.
 */
async function ingest({ client }: AppServer, { count, bodies }: Lines): Promise<number> {
  const started = performance.now()
  let [next, accepted] = [0, 0]
  const send = async () => {
    while (next < bodies.length) {
      const answer = await client.upload(ingestLogs, { alias: ALIAS }, bodies[next++]!)
      accepted += answer.accepted
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, send))
  const took = performance.now() - started
  if (accepted !== count) throw new Error(`${accepted} of ${count} lines were stored`)
  return took
}

/** Returns the milliseconds of the statement alone, without the start of psql. */
async function copyIn(databaseUrl: string, { count, file }: Lines): Promise<number> {
  const command = `\\copy bare from '${file}'`
  const { stdout } = await run(join(PG_BIN, 'psql'), [databaseUrl, '-X', '-c', '\\timing on', '-c', command])
  if (!stdout.includes(`COPY ${count}`)) throw new Error(`COPY answered ${stdout}`)
  return Number(/Time: ([\d.]+) ms/.exec(stdout)![1])
}
