import { flushCompileCache } from 'node:module'
import type { Db } from '#lib/db/db.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import { processUptime } from '#lib/work/lease-watch.ts'
import { runSlots } from '#lib/work/slots.ts'

/** Prints an event for the test, as one line of JSON on standard output. */
export type Report = (event: string, details?: Record<string, unknown>) => void
/** The export `createKind` of the module that `startSlots` names. */
export type CreateKind = (db: Db, options: Record<string, string>, report: Report) => JobKind

/**
 * Runs one kind of job on slots in a process of its own, until SIGTERM. Arguments: the module of the kind, the database's
 * URL, the options as JSON. The option `skewMinutes` moves the wall clock of this process.
 */
async function main(module: string, url: string, options: Record<string, string>): Promise<void> {
  if (options.skewMinutes) skewClock(Number(options.skewMinutes) * 60_000)
  const report: Report = (event, details) => process.stdout.write(`${JSON.stringify({ event, ...details })}\n`)
  const { createKind } = (await import(module)) as { createKind: CreateKind }
  const db = openPostgres({ url, onError: () => undefined })
  const onError = (_: string, error: unknown) => report('error', { message: String(error) })
  const running = await runSlots([createKind(db, options, report)], { db, uptime: processUptime, onError })
  report('started', { now: new Date().toISOString() })
  // Many of these processes are killed, and would write what they compiled only at their end.
  flushCompileCache()
  const stop = async () => {
    await running[Symbol.asyncDispose]()
    process.exit(0)
  }
  process.once('SIGTERM', () => void stop())
}

function skewClock(ms: number): void {
  const RealDate = Date
  globalThis.Date = class extends RealDate {
    constructor(...args: [] | [number | string | Date]) {
      super(args.length === 0 ? RealDate.now() + ms : args[0])
    }
    static override now = () => RealDate.now() + ms
  } as DateConstructor
}

const [module, url, options] = process.argv.slice(2)
await main(module!, url!, JSON.parse(options!) as Record<string, string>)
