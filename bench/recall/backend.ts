import { readFileSync } from 'node:fs'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { Reader } from '../../src/server/areas/data-sources/search/reader.ts'

/** Ticks of /proc/<pid>/stat per second, which Linux fixes at 100. */
const TICK_MS = 10

/** Reads the processor time of a Postgres backend on this machine in milliseconds; NaN where there is no /proc. */
export function cpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in brackets, which may contain blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return Number.NaN
  }
}

export async function backendOf(reader: Reader, settings: Sql): Promise<number> {
  const [row] = await reader.reads((on) => on.query<{ pid: number }>(sql`select pg_backend_pid() as pid`), settings)
  return row!.pid
}

type Explained = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] }

/** Runs the statement and returns how many pages of 8 KiB it looked at. */
export async function buffersOf(reader: Reader, statement: Sql, settings: Sql): Promise<number> {
  const explain = sql`explain (analyze, buffers, timing off, format json) ${statement}`
  const [row] = await reader.reads((on) => on.query<Explained>(explain), settings)
  const { Plan: plan } = row!['QUERY PLAN'][0]
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}
