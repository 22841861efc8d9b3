import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { createDatabases, type Databases, type ServerSettings } from '../../../src/server/areas/databases/index.ts'
import { newDatabase, openPassword } from '../../../src/server/areas/databases/model/new-database.ts'
import { type DatabaseRow, findDatabase, insertDatabase } from '../../../src/server/areas/databases/model/store.ts'
import { runJobs } from '../work/run-jobs.ts'

const ORG = 'org_1'
const sealer = createSealer(['ab'.repeat(32)])
const sources = { statesOf: async () => new Map(), forgetUnlessExposed: async () => true }

export type TestArea = AsyncDisposable & {
  databases: Databases
  /** Warnings and errors that were logged. */
  lines: string[]
  /** Finishes every database that was begun, as the worker does, also those that wait for their next attempt. */
  finish(): Promise<number | null | undefined>
  /** Inserts the row that a process leaves if it dies right after writing it. */
  leave(name: string): Promise<DatabaseRow>
  /** Creates a database and waits until it is ready. */
  make(name: string): Promise<DatabaseRow>
  open(name: string, as: 'owner' | 'reader'): ReturnType<Databases['open']>
  /** Returns the connection string of its owner, as `svc db connect` prints it. */
  ownerUrl(row: DatabaseRow): string
}

/** The area of managed databases on a platform database, without the services around it. */
export function startTestArea(
  db: Db,
  databaseUrl: string | undefined,
  limitMs?: number,
  servers?: readonly ServerSettings[],
): TestArea {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-databases-'))
  const lines: string[] = []
  const log = createLog('warn', { write: (line: string) => void lines.push(line) })
  const limits = { ...(limitMs && { limitMs }), ...(servers && { servers }) }
  const settings = { databaseUrl, dataDir, publicHost: undefined, embeddedMax: 5, ...limits }
  const databases = createDatabases({ db, clock: systemClock, sealer, sources, log, ...settings })
  const finish = async () => {
    await db.query(sql`update databases.databases set retry_at = null`)
    return runJobs(databases.slots[0]!)
  }
  const leave = async (name: string) => {
    const of = { org_id: ORG, name, created_by: 'usr_1', created_at: systemClock.now() }
    const row = await newDatabase(of, sealer)
    if (!(await db.tx((tx) => insertDatabase(tx, row)))) throw new Error(`A database named ${name} already exists.`)
    return row
  }
  return {
    databases,
    lines,
    finish,
    leave,
    make: async (name) => {
      const row = await leave(name)
      await finish()
      if ((await findDatabase(db, ORG, name))?.state !== 'ready') throw new Error(`not made: ${lines.join('\n')}`)
      return row
    },
    open: (name, as) => databases.open(ORG, name, as),
    ownerUrl: (row) => {
      const url = new URL(databaseUrl!)
      Object.assign(url, { username: row.owner_role, password: openPassword(row, 'owner', sealer) })
      url.pathname = `/${row.physical_name}`
      return url.href
    },
    [Symbol.asyncDispose]: async () => {
      await db.query(sql`update databases.databases set state = 'dropping'`)
      await finish()
      await databases[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
