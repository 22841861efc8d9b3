import { migrate } from '#lib/db/migrate/migrate.ts'
import { createLog } from '#lib/log/log.ts'
import { readStoreSettings } from '../config/config.ts'
import type { Environment } from '../config/reader.ts'
import { takeDataFolder } from '../process/data-folder.ts'
import { openDatabase } from '../process/open-database.ts'
import { allMigrations } from '../process/schema.ts'

/** Applies the pending migrations and prints each. Needs no secrets, so that a hook job gets by with DATABASE_URL. */
export async function runMigrations(env: Environment, print: (line: string) => void): Promise<void> {
  const settings = readStoreSettings(env)
  await using stack = new AsyncDisposableStack()
  if (settings.databaseUrl === undefined) takeDataFolder(settings.dataDir, stack)
  const db = stack.use(await openDatabase(settings, createLog('warn')))
  const applied = await migrate(db, allMigrations(), { report: print })
  if (applied.length === 0) print('Nothing to do: the database has every migration of this version.')
}
