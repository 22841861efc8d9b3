import { hash, randomBytes } from 'node:crypto'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Vector } from '../providers/provider.ts'

/** Estimated memory of an entry beside its vector: the digest and the entry of the map. */
const ENTRY_BYTES = 200

/**
 * Caches vectors in memory without the texts they belong to. Keys are digests that include a secret of this process, so
 * that texts cannot be guessed from them.
 */
export function createVectorCache(maxBytes: number) {
  const secret = randomBytes(32).toString('hex')
  const cache = createBoundedCache<string, Vector>({
    max: maxBytes,
    sizeOf: ({ byteLength }) => byteLength + ENTRY_BYTES,
  })
  // Not an HMAC, which costs several times as much. Length extension is no danger, because digests are never published.
  const digest = (model: string, text: string) => hash('sha256', secret + JSON.stringify([model, text]), 'base64')
  return {
    // Copies in and out, because a caller that transfers its vector to a thread would empty the cached one.
    get: (model: string, text: string): Vector | undefined => cache.get(digest(model, text))?.slice(),
    put: (model: string, text: string, vector: Vector) => cache.set(digest(model, text), vector.slice()),
  }
}
