import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { ServiceError } from '#contract/core/errors.ts'
import { ArchiveDamaged, type Key, WrongKey } from '#lib/archive/encrypt.ts'
import { type ReadPart, readArchive } from '#lib/archive/read-archive.ts'
import { nameOf } from '#lib/db/migrate/plan.ts'
import type { Secrets } from '../../config/secrets.ts'
import { allMigrations } from '../../process/schema.ts'
import { FORMAT, type Head, type Manifest, PARTS } from './manifest.ts'

type CheckedBackup = { readonly manifest: Manifest; readonly secrets: Partial<Secrets> }

/**
 * Reads a backup to its end and changes nothing. Throws CONFLICT if a byte of it is wrong, or if it was made by a release
 * whose schema this one does not know.
 */
export async function checkBackup(open: () => Promise<Readable>, key: Key): Promise<CheckedBackup> {
  let secrets: Partial<Secrets> = {}
  const manifest = await readWhole(open, key, async ({ name, content }) => {
    if (name === PARTS.head) refuseNewer((await json(content)) as Head)
    if (name === PARTS.secrets) secrets = (await json(content)) as Partial<Secrets>
  })
  refuseUnknownSchema(manifest)
  return { manifest, secrets }
}

export async function readWhole(
  open: () => Promise<Readable>,
  key: Key,
  take: (part: ReadPart) => Promise<void>,
): Promise<Manifest> {
  try {
    return (await readArchive(await open(), key, take)) as unknown as Manifest
  } catch (error) {
    if (error instanceof WrongKey) {
      const variable = error.opensBy === 'passphrase' ? 'SVC_BACKUP_PASSPHRASE' : 'SVC_BACKUP_PRIVATE_KEY'
      const action = `Name its ${error.opensBy} with --key-file <file> or in ${variable}.`
      throw new ServiceError('INVALID_REQUEST', `The backup stays closed: ${error.message}. ${action}`)
    }
    if (error instanceof ArchiveDamaged) {
      throw new ServiceError('CONFLICT', `The backup cannot be used: ${error.message}.`, { cause: error })
    }
    throw error
  }
}

function refuseNewer({ format, version }: Head): void {
  if (format <= FORMAT) return
  throw new ServiceError(
    'CONFLICT',
    `The backup was made by release ${version}. Restore it with that release or a newer one.`,
  )
}

function refuseUnknownSchema({ migrations, version }: Manifest): void {
  const ours = new Set(allMigrations().map(nameOf))
  const unknown = migrations.filter((name) => !ours.has(name))
  if (unknown.length === 0) return
  throw new ServiceError(
    'CONFLICT',
    `The backup was made by release ${version}, whose database has ${unknown.join(', ')}. ` +
      'Restore it with that release or a newer one.',
  )
}
