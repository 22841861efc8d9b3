import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { deriveKey } from '#lib/crypto/keys.ts'
import { keyId } from '#lib/crypto/seal.ts'

export type Filters = Readonly<Record<string, unknown>>
export type Digests = { key_id: string; digest: Buffer; filters_digest: Buffer | null }

const VERSION = '1'
const KEPT_BYTES = 16
const KEPT_KEYS = 10_000

type DigestsOf = (orgId: string, target: string, question: string, filters: Filters) => Digests

/**
 * Keyed, because a plain hash of a short question is guessed in no time; a key per organization, because equal
 * questions of two of them must not be seen to be equal.
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

/** Derived once for each purpose that is in use: that takes longer than the digest itself. */
function createKeys(dataKey: string): (purpose: string) => KeyObject {
  const master = Buffer.from(dataKey, 'hex')
  const kept = new Map<string, KeyObject>()
  return (purpose) => {
    const known = kept.get(purpose)
    if (known) return known
    const key = createSecretKey(deriveKey(master, purpose))
    if (kept.size >= KEPT_KEYS) kept.clear()
    kept.set(purpose, key)
    return key
  }
}

/** Each part after its length, so that no two lists of parts make one message. */
function digest(key: KeyObject, parts: readonly string[]): Buffer {
  const pieces = [VERSION, ...parts].flatMap((part) => {
    const bytes = Buffer.from(part.normalize('NFC'))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  })
  return createHmac('sha256', key).update(Buffer.concat(pieces)).digest().subarray(0, KEPT_BYTES)
}
