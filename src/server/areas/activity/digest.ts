import { createHmacSha256, type HmacSha256 } from '#lib/crypto/hmac.ts'
import { deriveKey } from '#lib/crypto/keys.ts'
import { keyId } from '#lib/crypto/seal.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'

export type Filters = Readonly<Record<string, unknown>>
export type Digests = { key_id: string; digest: Buffer; filters_digest: Buffer | null }

const VERSION = '1'
const DIGEST_BYTES = 16
const LENGTH_BYTES = 4
const MAX_CACHED_KEYS = 10_000

type DigestsOf = (orgId: string, target: string, question: string, filters: Filters) => Digests

/**
 * Creates the digests under which questions and their filters are recorded. They are keyed, because a plain hash of a
 * short question can be found by trying questions out, and each organization has its own key, so that equal questions
 * of two organizations have different digests.
 */
export function createDigests(dataKey: string): DigestsOf {
  const key_id = keyId(dataKey)
  const hmacFor = createHmacs(dataKey)
  return (orgId, target, question, filters) => {
    const parts = partsOf(filters)
    return {
      key_id,
      digest: digest(hmacFor(`activity/${orgId}/question/v1`), [target, question]),
      filters_digest: parts.length === 0 ? null : digest(hmacFor(`activity/${orgId}/filters/v1`), [target, ...parts]),
    }
  }
}

function partsOf(filters: Filters): string[] {
  const entries = Object.entries(filters)
  if (entries.length === 0) return []
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([column, value]) => [column, JSON.stringify(value)])
}

/** Caches the HMAC of each purpose, because deriving its key takes longer than computing a digest with it. */
function createHmacs(dataKey: string): (purpose: string) => HmacSha256 {
  const master = Buffer.from(dataKey, 'hex')
  const cache = createBoundedCache<string, HmacSha256>({ max: MAX_CACHED_KEYS })
  return (purpose) => cache.getOrMake(purpose, () => createHmacSha256(deriveKey(master, purpose)))
}

/** Writes each part after its length, so that two different lists of parts never give the same message. */
function digest(hmac: HmacSha256, parts: readonly string[]): Buffer {
  const texts = [VERSION, ...parts].map((part) => part.normalize('NFC'))
  const length = texts.reduce((sum, text) => sum + LENGTH_BYTES + Buffer.byteLength(text), 0)
  const message = Buffer.allocUnsafe(length)
  let at = 0
  for (const text of texts) {
    const bytes = message.write(text, at + LENGTH_BYTES)
    message.writeUInt32BE(bytes, at)
    at += LENGTH_BYTES + bytes
  }
  return hmac(message).subarray(0, DIGEST_BYTES)
}
