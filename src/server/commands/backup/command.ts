import { readFileSync } from 'node:fs'
import { ServiceError } from '#contract/core/errors.ts'
import type { Lock } from '#lib/archive/encrypt.ts'
import { createArchive } from '#lib/archive/write-archive.ts'
import { releaseMemory } from '#lib/memory/release-memory.ts'
import { readSettings } from '../../config/config.ts'
import type { Environment } from '../../config/reader.ts'
import { assets } from '../../files/assets.ts'
import { printProgress } from '../../process/output.ts'
import { type KeyOptions, makeKeyPair, readLock } from './keys.ts'
import { makeBackup, megabytes } from './make-backup.ts'
import type { SavedDatabase } from './manifest.ts'
import { createPlace } from './places.ts'
import type { BackupSource } from './source.ts'

type Print = (line: string) => void
export type BackupOptions = KeyOptions & { readonly maxHours: number }

const HOUR_MS = 3600_000

/** Backs up the installation of the environment to a file, to standard output or to a bucket. */
export async function runBackup(
  env: Environment,
  print: Print,
  address: string,
  options: BackupOptions,
): Promise<void> {
  await saveTo(address, readLock(options, env), { env, print, maxHours: options.maxHours })
}

type Saving = { readonly env: Environment; readonly print: Print; readonly maxHours: number }

/** Throws after a backup that lacks databases, too. */
export async function saveTo(address: string, lock: Lock, { env, print, maxHours }: Saving): Promise<void> {
  await using source = await openSource(env, maxHours)
  const place = await createPlace(address, env)
  try {
    const archive = await createArchive(place.to, lock)
    // Loading the code left garbage.
    releaseMemory()
    const to = address === '-' ? 'the standard output' : address
    print(`Saving to ${to}: the database of svc first, then each managed database.`)
    const startedAt = performance.now()
    const report = { version: readVersion(), now: new Date(), print, progress: printProgress }
    const { databases, storedBytes } = await makeBackup(source, archive, report)
    await place.finish()
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    print(`The backup is in ${to}: ${megabytes(storedBytes)}, in ${seconds} s.`)
    refuseIncomplete(databases)
  } catch (error) {
    if (!(error instanceof Incomplete)) await place.abandon()
    throw error
  }
}

/** The backup is good, but lacks databases. */
class Incomplete extends ServiceError {}

function refuseIncomplete(databases: readonly SavedDatabase[]): void {
  const failed = databases.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return
  const names = failed.map(({ name, id }) => `${name} (${id})`).join(', ')
  throw new Incomplete(
    'CONFLICT',
    `The backup lacks ${names}: the reasons are above. Everything else is in it and can be restored.`,
  )
}

async function openSource(env: Environment, maxHours: number): Promise<BackupSource> {
  const settings = readSettings(env)
  const { databaseUrl } = settings
  if (databaseUrl === undefined) return (await import('./embedded-source.ts')).openEmbeddedSource(settings)
  const { openPostgresSource } = await import('./postgres-source.ts')
  return openPostgresSource({ ...settings, databaseUrl }, { path: env.PATH, limitMs: maxHours * HOUR_MS })
}

export async function printKeyPair(print: Print): Promise<void> {
  print(await makeKeyPair(new Date()))
}

function readVersion(): string {
  return (JSON.parse(readFileSync(assets.packageJson(), 'utf8')) as { version: string }).version
}
