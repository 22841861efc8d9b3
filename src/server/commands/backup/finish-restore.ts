import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { settleRestored } from '../../areas/databases/dump/index.ts'
import { type Parkable, parkDeliveries } from '../../areas/notifications/index.ts'
import { allMigrations } from '../../process/schema.ts'
import type { Manifest } from './manifest.ts'
import { countTables } from './platform-facts.ts'

export type RestoreResult = { readonly parked: Parkable; readonly rows: number }

/**
 * Makes a restored platform ready for a server: its rows are counted, it gets the schema of this release, databases that
 * the backup does not have are dropped, and nothing is sent that may have been sent after the backup was made.
 */
export async function finishRestore(db: Db, { counts, databases }: Manifest): Promise<RestoreResult> {
  const found = await countTables(db)
  const [different] = Object.entries(counts).filter(([table, rows]) => found[table] !== rows)
  if (different) {
    const [table, rows] = different
    throw new ServiceError('CONFLICT', `${table} has ${found[table] ?? 'no'} rows instead of ${rows}.`)
  }
  await migrate(db, allMigrations())
  const missing = databases.filter(({ state }) => state !== 'saved').map(({ id }) => id)
  await db.tx((tx) => settleRestored(tx, missing))
  const parked = await parkDeliveries(db, new Date())
  return { parked, rows: Object.values(counts).reduce((sum, rows) => sum + rows, 0) }
}
