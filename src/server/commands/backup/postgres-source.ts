import { checkDataKeys } from '#lib/crypto/data-keys.ts'
import { createLog } from '#lib/log/log.ts'
import { createDumper } from '../../areas/databases/dump/index.ts'
import type { Settings } from '../../config/config.ts'
import { openDatabase } from '../../process/open-database.ts'
import { readFacts } from './platform-facts.ts'
import type { BackupSource } from './source.ts'

/** Counting the rows of the largest table takes as long as reading it. */
const SNAPSHOT = {
  readOnly: true,
  timeoutMs: 6 * 3600_000,
  settings: { transaction_isolation: 'repeatable read', idle_in_transaction_session_timeout: '0' },
}

/** Backs up an installation on Postgres, beside its servers. */
export async function openPostgresSource(
  settings: Settings & { databaseUrl: string },
  programs: { path: string | undefined; limitMs: number },
): Promise<BackupSource> {
  await using opening = new AsyncDisposableStack()
  const log = createLog('error')
  const db = opening.use(await openDatabase(settings, log))
  // Other keys would not open what is saved.
  if (settings.secrets.dataKeys) await checkDataKeys(db, settings.secrets.dataKeys, sealedColumns)
  const databaseUrl = settings.databaseDirectUrl ?? settings.databaseUrl
  const dumper = opening.use(createDumper({ ...settings.databases, db, log, databaseUrl, ...programs }))
  const stack = opening.move()
  return {
    engine: 'postgres',
    secrets: settings.secrets,
    files: {},
    savePlatform: (write) =>
      db.tx(async (tx) => {
        const facts = await readFacts(tx)
        await dumper.dumpPlatform(tx, write)
        return facts
      }, SNAPSHOT),
    saveDatabase: ({ id }, write) => dumper.dump(id, write),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Loaded only for a database of an early release, because the columns are those of every area, whose code takes 40 MB. */
async function sealedColumns() {
  return (await import('../../process/sealed-columns.ts')).SEALED_COLUMNS
}
