import { join } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import { checkDataKeys, retireFormerKeys } from '#lib/crypto/data-keys.ts'
import { createSealer, type Sealer } from '#lib/crypto/seal.ts'
import { countByKey, type Resealed, resealColumn } from '#lib/crypto/sealed-columns.ts'
import type { Db } from '#lib/db/db.ts'
import { findPending } from '#lib/db/migrate/migrate.ts'
import { createLog } from '#lib/log/log.ts'
import { type Config, readSettings, type Settings, toConfig } from '../config/config.ts'
import type { Environment } from '../config/reader.ts'
import { takeDataFolder } from '../process/data-folder.ts'
import { loadOrMakeSecrets } from '../process/first-start/embedded-secrets.ts'
import { openDatabase } from '../process/open-database.ts'
import { allMigrations } from '../process/schema.ts'
import { SEALED_COLUMNS } from '../process/sealed-columns.ts'

/** Seals every stored secret under the current data key and prints how many of each kind. */
export async function reseal(env: Environment, print: (line: string) => void): Promise<void> {
  const settings = readSettings(env)
  await using stack = new AsyncDisposableStack()
  const config = openConfig(settings, stack)
  const db = stack.use(await openDatabase(config, createLog('warn')))
  await refuseOtherSchema(db)
  const { dataKeys } = config.secrets
  await checkDataKeys(db, dataKeys, async () => SEALED_COLUMNS)
  const sealer = createSealer(dataKeys)
  await resealAll(db, sealer, print)
  await refuseLeftOvers(db, sealer)
  const retired = await retireFormerKeys(db, dataKeys)
  print(`Every stored secret is sealed under key ${sealer.currentKeyId}.`)
  if (retired.length > 0) print(`No longer needed: ${retired.join(', ')}. ${howToRemove(settings)}`)
}

/** On the embedded database also takes the data folder, which throws while the server runs. */
function openConfig(settings: Settings, stack: AsyncDisposableStack): Config {
  if (settings.databaseUrl !== undefined) return toConfig(settings)
  takeDataFolder(settings.dataDir, stack)
  return toConfig(settings, loadOrMakeSecrets(settings.dataDir))
}

/**
 * A newer schema may have sealed columns that this version does not know. It would leave them sealed under the former
 * key and then call that key unneeded.
 */
async function refuseOtherSchema(db: Db): Promise<void> {
  const { pending, newer } = await findPending(db, allMigrations())
  if (pending.length > 0) {
    throw new ServiceError(
      'CONFLICT',
      'The database was created by an earlier version. Run svc-server migrate, then repeat.',
    )
  }
  if (newer.length > 0) {
    throw new ServiceError(
      'CONFLICT',
      'The database was migrated by a newer version. Run the reseal command of that version.',
    )
  }
}

async function resealAll(db: Db, sealer: Sealer, print: (line: string) => void): Promise<void> {
  print(`Sealing under key ${sealer.currentKeyId}:`)
  const width = Math.max(...SEALED_COLUMNS.map(({ kind }) => kind.length))
  for (const column of SEALED_COLUMNS) {
    const already = (await countByKey(db, column)).get(sealer.currentKeyId) ?? 0
    const resealed = await resealColumn(db, column, sealer)
    print(`  ${column.kind.padEnd(width)}  ${numbers(resealed, already)}`)
  }
}

function numbers({ moved, unopenable }: Resealed, already: number): string {
  const failed = [...unopenable].map(([id, count]) => `${count} under key ${id} cannot be opened`)
  return [`${moved} moved`, `${already} already current`, ...failed].join(', ')
}

async function refuseLeftOvers(db: Db, { currentKeyId }: Sealer): Promise<void> {
  const left: string[] = []
  for (const column of SEALED_COLUMNS) {
    for (const [id, count] of await countByKey(db, column)) {
      if (id !== currentKeyId) left.push(`${count} ${column.kind} under key ${id}`)
    }
  }
  if (left.length === 0) return
  throw new ServiceError(
    'CONFLICT',
    `Keep the former keys, because these values are not sealed under the current key: ${left.join('; ')}. ` +
      'If a server still runs with a former key as SVC_DATA_KEY, restart it with the current key, then repeat.',
  )
}

function howToRemove({ secrets, dataDir }: Settings): string {
  return secrets.dataKeys === undefined
    ? `Remove them from dataKeys in ${join(dataDir, 'secrets.json')}, all but the first.`
    : 'Remove them from SVC_DATA_KEYS_FORMER and restart the server.'
}
