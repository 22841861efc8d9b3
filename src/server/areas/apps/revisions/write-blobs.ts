import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import { type FileBlob, insertBlobs, storedBytes, touchBlobs } from './blobs.ts'
import type { RevisionDeps } from './deps.ts'

const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_COUNT = 256

/**
 * Stores blobs in batches as they come, each in a short transaction of its own, so that no transaction waits for a
 * client. What was stored before a refusal stays; the collector removes it if no revision uses it.
 */
export class BlobWriter {
  readonly #deps: RevisionDeps
  readonly #orgId: string
  readonly #batch = new Map<string, FileBlob>()
  #batchBytes = 0
  #stored = 0

  constructor(deps: RevisionDeps, orgId: string) {
    this.#deps = deps
    this.#orgId = orgId
  }

  /** Blobs that were new to the organization. */
  get stored(): number {
    return this.#stored
  }

  async add(blob: FileBlob): Promise<void> {
    if (this.#batchBytes + blob.content.byteLength > BATCH_BYTES || this.#batch.size >= BATCH_COUNT) await this.flush()
    if (this.#batch.has(blob.sha256)) return
    this.#batch.set(blob.sha256, blob)
    this.#batchBytes += blob.content.byteLength
  }

  async flush(): Promise<void> {
    if (this.#batch.size === 0) return
    const { db, clock, maxStoreBytes } = this.#deps
    this.#stored += await db.tx(async (tx) => {
      const now = clock.now()
      const known = await touchBlobs(tx, this.#orgId, [...this.#batch.keys()], now)
      const added = [...this.#batch.values()].filter(({ sha256 }) => !known.has(sha256))
      if (added.length > 0) await insertBlobs(tx, this.#orgId, added, now)
      await refuseFullStore(tx, this.#orgId, maxStoreBytes)
      return added.length
    })
    this.#batch.clear()
    this.#batchBytes = 0
  }
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
