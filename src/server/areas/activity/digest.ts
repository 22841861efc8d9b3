import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createBoundedCache } from '#lib/bounded-cache.ts'
import { deriveKey } from '#lib/crypto/keys.ts'
import { keyId } from '#lib/crypto/seal.ts'

export type Filters = Readonly<Record<string, unknown>>
export type Digests = { key_id: string; digest: Buffer; filters_digest: Buffer | null }

const VERSION = '1'
const DIGEST_BYTES = 16
const MAX_CACHED_KEYS = 10_000

type DigestsOf = (orgId: string, target: string, question: string, filters: Filters) => Digests

/**
 * Creates the digests under which questions and their filters are recorded. They are keyed, because a plain hash of a
 * short question can be found by trying questions out, and each organization has its own key, so that equal questions
 * of two organizations have different digests.
 */
export function createDigests(dataKey: string): DigestsOf {
  const key_id = keyId(dataKey)
  const keyOf = createKeys(dataKey)
  return (orgId, target, question, filters) => {
    const parts = Object.entries(filters)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([column, value]) => [column, JSON.stringify(value)])
    return {
      key_id,
      digest: digest(keyOf(`activity/${orgId}/question/v1`), [target, question]),
      filters_digest: parts.length === 0 ? null : digest(keyOf(`activity/${orgId}/filters/v1`), [target, ...parts]),
    }
  }
}

/** Caches derived keys, because deriving one takes longer than computing a digest with it. */
function createKeys(dataKey: string): (purpose: string) => KeyObject {
  const master = Buffer.from(dataKey, 'hex')
  const cache = createBoundedCache<string, KeyObject>({ max: MAX_CACHED_KEYS })
  return (purpose) => cache.getOrMake(purpose, () => createSecretKey(deriveKey(master, purpose)))
}

/** Writes each part after its length, so that two different lists of parts never give the same message. */
function digest(key: KeyObject, parts: readonly string[]): Buffer {
  const pieces = [VERSION, ...parts].flatMap((part) => {
    const bytes = Buffer.from(part.normalize('NFC'))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  })
  return createHmac('sha256', key).update(Buffer.concat(pieces)).digest().subarray(0, DIGEST_BYTES)
}
