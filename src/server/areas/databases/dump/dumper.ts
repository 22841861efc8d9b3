import { setTimeout as wait } from 'node:timers/promises'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { runIfLeased } from '#lib/work/lease.ts'
import { readProgram } from '../copy/programs.ts'
import { busyDatabase, leaseOf } from '../life/finish.ts'
import { findById } from '../model/move-store.ts'
import { openServers } from '../servers/open-servers.ts'
import { dumpDatabase } from './dump-database.ts'
import type { DumpOptions } from './options.ts'
import type { WritePart } from './parts.ts'

/** The part of a dump that holds the platform's own database. */
export const PLATFORM_DUMP = 'dump'

const DUMPED_STATES = ['ready']
/** Another process creates, drops or moves the database; a creation takes seconds. */
const MAX_TRIES = 20
const RETRY_MS = 3_000

/** Dumps databases on Postgres servers for a backup. */
export function createDumper({ path, limitMs, ...options }: DumpOptions) {
  const { db, log, databaseUrl } = options
  const onError = (error: unknown) => log.warn({ error }, 'a Postgres server failed')
  const servers = openServers({ ...options, dataDir: '', embeddedMax: 0 }, onError)
  const programs = () => ({
    path,
    deadline: AbortSignal.timeout(limitMs),
    afterDeadline: ', so its part of the backup was ended. Allow more with --max-hours',
  })
  return {
    /** Dumps the platform's database as the open transaction sees it. */
    async dumpPlatform(tx: Tx, write: WritePart): Promise<void> {
      const [row] = await tx.query<{ id: string }>(sql`select pg_catalog.pg_export_snapshot() as id`)
      const args = ['--format=custom', '--compress=0', '--no-owner', '--no-privileges', `--snapshot=${row!.id}`]
      const target = { url: databaseUrl }
      await readProgram({ path }, 'pg_dump', { target, args }, (output) => write(PLATFORM_DUMP, output))
    },
    /** Dumps a managed database. Returns false if it no longer exists. */
    async dump(id: string, write: WritePart): Promise<boolean> {
      for (let tries = 1; ; tries++) {
        const row = await findById(db, id)
        if (!row || !DUMPED_STATES.includes(row.state)) return false
        const { admin } = servers.engineOf(row)
        const isDone = await runIfLeased(db, leaseOf(row), () => dumpDatabase(admin!, row, programs(), write))
        if (isDone) return true
        if (tries === MAX_TRIES) throw busyDatabase(row)(MAX_TRIES * (RETRY_MS / 1000))
        await wait(RETRY_MS)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.all.map(({ engine }) => engine.close()))
    },
  }
}
