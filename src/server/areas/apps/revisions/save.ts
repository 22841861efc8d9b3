import type { RevisionFile } from '#contract/apps/revisions.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { lockActiveApp } from '../model/store.ts'
import { touchBlobs } from './blob-store.ts'
import type { RevisionDeps } from './deps.ts'
import { invalidRevision } from './faults.ts'
import { digestOf, sortFiles, totalBytesOf } from './manifest.ts'
import { findByDigest, insertRevision, type RevisionRow } from './store.ts'
import { refuseFullStore } from './write-blobs.ts'

type NewRevision = {
  readonly orgId: string
  readonly alias: string
  readonly files: readonly RevisionFile[]
  readonly message: string | null
  /** Null for a change of the maintenance agent. */
  readonly createdBy: string | null
  /** As the audit trail names who created it. */
  readonly actor: string
}

/**
 * Creates a revision of files that are stored, in one short transaction. The same files again return the revision that
 * exists. The files must have been checked with `findManifestFaults`.
 */
export async function saveRevision(deps: RevisionDeps, added: NewRevision): Promise<RevisionRow> {
  return deps.db.tx(async (tx) => {
    const { id: appId } = await lockActiveApp(tx, added.orgId, added.alias)
    return addRevision(tx, deps, { ...added, appId })
  })
}

/** As `saveRevision`, in a transaction that has locked the app. */
export async function addRevision(
  tx: Tx,
  { clock, maxStoreBytes }: Pick<RevisionDeps, 'clock' | 'maxStoreBytes'>,
  { orgId, appId, alias, message, createdBy, actor, ...added }: NewRevision & { readonly appId: string },
): Promise<RevisionRow> {
  const files = sortFiles(added.files)
  const digest = digestOf(files)
  const now = clock.now()
  await requireBlobs(tx, orgId, added.files, now)
  const of = { app_id: appId, org_id: orgId, digest, message, created_by: createdBy, created_at: now }
  const size = { file_count: files.length, total_bytes: totalBytesOf(files) }
  const row: RevisionRow = { id: newId('rev', now.getTime()), ...of, ...size }
  if (!(await insertRevision(tx, row, files))) return (await findByDigest(tx, appId, digest))!
  await refuseFullStore(tx, orgId, maxStoreBytes)
  const entry = { org_id: orgId, actor, action: 'revision.created', target: row.id, at: now }
  await audit(tx, { ...entry, detail: { app: alias, digest: digest.toString('hex') } })
  return row
}

async function requireBlobs(tx: Tx, orgId: string, files: readonly RevisionFile[], now: Date): Promise<void> {
  const sizes = await touchBlobs(tx, orgId, [...new Set(files.map(({ sha256 }) => sha256))], now)
  const missing = files.filter(({ sha256 }) => !sizes.has(sha256))
  if (missing.length > 0) throw incomplete(missing)
  const wrong = files.flatMap(({ sha256, size }, index) => {
    const stored = sizes.get(sha256)!
    return stored === size ? [] : [{ path: `files.${index}.size`, message: `must be ${stored}, the size of the file` }]
  })
  if (wrong.length > 0) throw invalidRevision(wrong)
}

function incomplete(missing: readonly RevisionFile[]): ServiceError {
  const errors = missing.slice(0, 100).map(({ path }) => ({ path: path.slice(0, 200), message: 'is not stored' }))
  const detail = `Files of the revision are not stored: ${missing.length}. Upload them, then create the revision again.`
  return new ServiceError('REVISION_INCOMPLETE', detail, { errors })
}
