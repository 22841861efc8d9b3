import type { Readable } from 'node:stream'
import { ServiceError } from '#contract/core/errors.ts'
import type { Key } from '#lib/archive/encrypt.ts'
import { readSettings, type Settings } from '../../config/config.ts'
import type { Environment } from '../../config/reader.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { RestoreResult } from './finish-restore.ts'
import { type KeyOptions, readKey } from './keys.ts'
import type { Manifest } from './manifest.ts'
import { readPlace } from './places.ts'
import { checkBackup, readWhole } from './read-backup.ts'
import { refuseOtherSecrets, writeSecrets } from './secrets-file.ts'
import type { RestoreTarget } from './target.ts'

type Print = (line: string) => void
export type RestoreOptions = KeyOptions & {
  readonly maxHours: number
  /** File for the secrets of an installation on Postgres, which has them in its environment. */
  readonly secretsTo: string | undefined
  /** Restores a backup that lacks databases. They are dropped in the restored installation. */
  readonly withoutMissing: boolean
  /** Gives the databases of the embedded default the port of the original, to which connection strings lead. */
  readonly keepPort: boolean
}

const HOUR_MS = 3600_000
const DEFAULT_SECRETS_FILE = 'svc-restored.env'

const OTHER_PORT =
  'Its databases get a port of their own, so that the original can run beside it: hand out new connection strings, or restore with --keep-port where the original is gone.'
const SAME_PORT = 'Its databases have the port of the original: do not start both on one machine.'

/** Restores a backup into the empty installation that the environment names. Starts nothing. */
export async function runRestore(
  env: Environment,
  print: Print,
  address: string,
  options: RestoreOptions,
): Promise<void> {
  const key = readKey(options, env)
  const open = () => readPlace(address, env)
  print('Checking the backup.')
  const { manifest, secrets } = await checkBackup(open, key)
  describe(manifest, print)
  refuseMissing(manifest, options)
  const settings = readSettings({ ...variablesOf(secrets), ...env })
  refuseOtherEngine(manifest, settings)
  const secretsFile = options.secretsTo ?? DEFAULT_SECRETS_FILE
  const needsFile = manifest.engine === 'postgres'
  const lines = linesOf(variablesOf(secrets))
  if (needsFile) refuseOtherSecrets(secretsFile, lines)
  await using target = await openTarget(settings, manifest, { ...options, path: env.PATH, print })
  // Before the restore is done, because a second run is refused after that.
  if (needsFile) writeSecrets(secretsFile, lines)
  const result = await restoreTo(target, manifest, { open, key, print })
  summarize(result, print)
  print(
    needsFile
      ? `The secrets are in ${secretsFile}. Start the servers with them, and hand out new connection strings if the address changed.`
      : `Start the server when you are ready. Nothing was started. ${options.keepPort ? SAME_PORT : OTHER_PORT}`,
  )
}

type Reading = { open: () => Promise<Readable>; key: Key; print: Print }

/** Reads the backup a second time, into the target. */
export async function restoreTo(target: RestoreTarget, manifest: Manifest, { open, key, print }: Reading) {
  print(`Restoring to ${target.place}.`)
  const { id } = await readWhole(open, key, (part) => target.take(part))
  if (id !== manifest.id) throw new ServiceError('CONFLICT', 'The backup was replaced while it was restored.')
  return target.finish()
}

async function openTarget(
  settings: Settings,
  manifest: Manifest,
  {
    maxHours,
    path,
    print,
    keepPort,
  }: Pick<RestoreOptions, 'maxHours' | 'keepPort'> & { path: string | undefined; print: Print },
): Promise<RestoreTarget> {
  const { databaseUrl } = settings
  if (databaseUrl === undefined)
    return (await import('./embedded-target.ts')).openEmbeddedTarget(settings.dataDir, manifest, { keepPort })
  const { openPostgresTarget } = await import('./postgres-target.ts')
  return openPostgresTarget({ ...settings, databaseUrl }, manifest, { path, limitMs: maxHours * HOUR_MS, print })
}

export function describe({ version, created_at, databases, engine, parts }: Manifest, print: Print): void {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  const saved = databases.filter(({ state }) => state === 'saved').length
  const kind = engine === 'embedded' ? 'the embedded database' : 'Postgres'
  print(`A backup of ${created_at} by svc ${version}, of an installation on ${kind}. Every part is as it was written.`)
  print(`Managed databases: ${saved}; size: ${(bytes / 1024 ** 2).toFixed(1)} MB`)
}

function refuseMissing({ databases }: Manifest, { withoutMissing }: RestoreOptions): void {
  const failed = databases.filter(({ state }) => state === 'failed')
  if (failed.length === 0 || withoutMissing) return
  const names = failed.map(({ name, id }) => `${name} (${id})`).join(', ')
  throw new ServiceError(
    'CONFLICT',
    `The backup lacks ${names}. With --without-missing everything else is restored, and these databases are dropped.`,
  )
}

function refuseOtherEngine({ engine }: Manifest, { databaseUrl }: Settings): void {
  if (engine === 'postgres' && databaseUrl === undefined) {
    throw new ServiceError('CONFLICT', 'This is a backup of Postgres. Set DATABASE_URL to an empty database.')
  }
  if (engine === 'embedded' && databaseUrl !== undefined) {
    throw new ServiceError(
      'CONFLICT',
      'This is a backup of the embedded database. Unset DATABASE_URL, and set SVC_DATA_DIR to an empty folder.',
    )
  }
}

/** Returns the secrets as the variables that a server reads. */
export function variablesOf(secrets: Partial<Secrets>): Record<string, string> {
  const [current, ...former] = secrets.dataKeys ?? []
  const all = {
    SVC_DATA_KEY: current,
    SVC_DATA_KEYS_FORMER: former.join(','),
    SVC_JWT_SECRET: secrets.jwtSecret,
    SVC_JWT_SIGNING_KEY: secrets.jwtSigningKey,
    SVC_OPERATOR_TOKEN: secrets.operatorToken,
    SVC_INTERNAL_SECRET: secrets.internalSecret,
    SVC_ACTOR_ASSERTION_SECRET: secrets.actorAssertionSecret,
    SVC_AUTH_API_TOKEN: secrets.authApiTokens?.join(','),
  }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function linesOf(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

function summarize({ rows, parked }: RestoreResult, print: Print): void {
  print(`Restored ${rows} rows of svc and all managed databases. Not sent, because it may have been sent already:`)
  print(`  ${parked.deliveries} messages, ${parked.notifications} notifications, and those of ${parked.events} events`)
}
