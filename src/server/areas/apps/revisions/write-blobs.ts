import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import { type FileBlob, insertBlobs, storedBytes, touchBlobs } from './blob-store.ts'
import type { RevisionDeps } from './deps.ts'

const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_COUNT = 256

/**
 * Stores blobs in batches as they come, each in a short transaction of its own, so that no transaction waits for a
 * client. What was stored before a refusal stays; the collector removes it if no revision uses it.
 */
export function createBlobWriter({ db, clock, maxStoreBytes }: RevisionDeps, orgId: string) {
  const batch = new Map<string, FileBlob>()
  let batchBytes = 0
  let stored = 0

  /** Stores what is left, and returns how many of all blobs were new to the organization. */
  const flush = async (): Promise<number> => {
    if (batch.size === 0) return stored
    stored += await db.tx(async (tx) => {
      const now = clock.now()
      const storedHashes = await touchBlobs(tx, orgId, [...batch.keys()], now)
      const added = [...batch.values()].filter(({ sha256 }) => !storedHashes.has(sha256))
      if (added.length > 0) await insertBlobs(tx, orgId, added, now)
      await refuseFullStore(tx, orgId, maxStoreBytes)
      return added.length
    })
    batch.clear()
    batchBytes = 0
    return stored
  }

  const add = async (blob: FileBlob): Promise<void> => {
    if (batchBytes + blob.content.byteLength > BATCH_BYTES || batch.size >= BATCH_COUNT) await flush()
    if (batch.has(blob.sha256)) return
    batch.set(blob.sha256, blob)
    batchBytes += blob.content.byteLength
  }

  return { add, flush }
}

/** Throws if the organization has more stored than it may; the transaction then adds nothing. */
export async function refuseFullStore(tx: Tx, orgId: string, maxStoreBytes: number): Promise<void> {
  const bytes = await storedBytes(tx, orgId)
  if (bytes <= maxStoreBytes) return
  throw new ServiceError(
    'REVISION_STORE_FULL',
    `Your organization may store ${maxStoreBytes} bytes of revisions, and this would be ${bytes}. Delete an app that is not needed; its files are removed within two days.`,
  )
}
