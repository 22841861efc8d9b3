import type { Db } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import type { ServerSettings } from '../servers/servers.ts'

/** The servers that databases are dumped from or restored to, and the programs that do it. */
export type DumpOptions = {
  readonly db: Db
  readonly log: Log
  readonly databaseUrl: string
  readonly servers: readonly ServerSettings[]
  readonly publicHost: string | undefined
  /** Folders in which `pg_dump` and `pg_restore` are looked up, as in the variable PATH. */
  readonly path: string | undefined
  /** How long one database may take. Code of its owner can run meanwhile, and may never end. */
  readonly limitMs: number
}
