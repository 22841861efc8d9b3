import { join } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import type { Key } from '#lib/archive/encrypt.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { openColumn } from '#lib/crypto/sealed-columns.ts'
import type { Db } from '#lib/db/db.ts'
import { openTemporaryFolder } from '#lib/files/temporary-folder.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { trySources } from '../../areas/data-sources/index.ts'
import { composeDatabases } from '../../compose/databases.ts'
import { type Config, readSettings, toConfig } from '../../config/config.ts'
import type { Environment } from '../../config/reader.ts'
import { openDatabase } from '../../process/open-database.ts'
import { SEALED_COLUMNS } from '../../process/sealed-columns.ts'
import type { BackupOptions } from './command.ts'
import { readKey } from './keys.ts'
import type { Manifest } from './manifest.ts'
import { readPlace } from './places.ts'
import { checkBackup } from './read-backup.ts'
import { describe, restoreTo, variablesOf } from './restore.ts'
import type { RestoreTarget } from './target.ts'

type Print = (line: string) => void

const HOUR_MS = 3600_000

/**
 * Restores a backup to a place that is thrown away, opens every sealed value there and asks every source a question.
 * Throws CONFLICT if anything of it is wrong.
 */
export async function runVerify(
  env: Environment,
  print: Print,
  address: string,
  options: BackupOptions,
): Promise<void> {
  await verify(address, readKey(options, env), { env, print, maxHours: options.maxHours })
}

type Verifying = { readonly env: Environment; readonly print: Print; readonly maxHours: number }

export async function verify(address: string, key: Key, { env, print, maxHours }: Verifying): Promise<void> {
  const open = () => readPlace(address, env)
  const { manifest, secrets } = await checkBackup(open, key)
  describe(manifest, print)
  await using stack = new AsyncDisposableStack()
  // It will hold every secret of the installation.
  const folder = stack.use(await openTemporaryFolder('svc-verify-'))
  const place = placeOf(manifest, env, join(folder.path, 'data'))
  const config = toConfig(readSettings({ ...variablesOf(secrets), ...place }))
  const target = stack.use(await openTarget(config, manifest, { maxHours, path: env.PATH, print }))
  await restoreTo(target, manifest, { open, key, print })
  const faults = [...missingOf(manifest), ...(await tryRestored(config, print))]
  if (faults.length > 0) throw new ServiceError('CONFLICT', `The backup is not good:\n${faults.join('\n')}`)
  print('The backup is good.')
}

/** Returns the variables of the place: a folder, or a database that the operator keeps for this. */
function placeOf({ engine }: Manifest, env: Environment, dataDir: string): Environment {
  if (engine === 'embedded') return { SVC_DATA_DIR: dataDir }
  const url = env.SVC_BACKUP_VERIFY_URL
  if (url !== undefined) return { SVC_DATA_DIR: dataDir, DATABASE_URL: url }
  throw new ServiceError(
    'INVALID_REQUEST',
    'Set SVC_BACKUP_VERIFY_URL to an empty database, on a Postgres server that is not the one of the installation. ' +
      'The backup is restored there, and everything is removed again.',
  )
}

type TargetOptions = { readonly maxHours: number; readonly path: string | undefined; readonly print: Print }

async function openTarget(config: Config, manifest: Manifest, options: TargetOptions): Promise<RestoreTarget> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined) return (await import('./embedded-target.ts')).openEmbeddedTarget(dataDir, manifest)
  const { openPostgresTarget } = await import('./postgres-target.ts')
  const { path, print, maxHours } = options
  const limits = { path, print, limitMs: maxHours * HOUR_MS, isThrownAway: true }
  return openPostgresTarget({ ...config, databaseUrl }, manifest, limits)
}

function missingOf({ databases }: Manifest): string[] {
  return databases.filter(({ state }) => state === 'failed').map(({ name, id, fault }) => `${name} (${id}): ${fault}`)
}

/** Uses the restored installation as a server would. Returns the faults. */
async function tryRestored(config: Config, print: Print): Promise<string[]> {
  await using stack = new AsyncDisposableStack()
  const log = createLog('silent')
  const db = stack.use(await openDatabase(config, log))
  const sealer = createSealer(config.secrets.dataKeys)
  const databases = stack.use(composeDatabases({ config, db, clock: systemClock, sealer, log }))
  const closed = await openEverySeal(db, sealer, print)
  const tried = await trySources({
    db,
    clock: systemClock,
    openReader: (orgId, name) => databases.open(orgId, name, 'reader'),
  })
  print(`Data sources that were asked a question: ${tried.length}`)
  return [
    ...closed,
    ...tried.flatMap((source) => ('fault' in source ? [`data source ${source.id}: ${source.fault}`] : [])),
  ]
}

async function openEverySeal(db: Db, sealer: ReturnType<typeof createSealer>, print: Print): Promise<string[]> {
  const faults: string[] = []
  let opened = 0
  for (const column of SEALED_COLUMNS) {
    const { all, closed } = await openColumn(db, column, sealer)
    opened += all - closed
    if (closed > 0) faults.push(`${closed} ${column.kind} cannot be opened with the keys of the backup`)
  }
  print(`Sealed values that were opened: ${opened}`)
  return faults
}
