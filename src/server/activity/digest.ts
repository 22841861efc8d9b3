import { createHmac } from 'node:crypto'
import { deriveKey } from '#lib/keys.ts'
import { keyId } from '#lib/seal.ts'

export type Filters = Readonly<Record<string, unknown>>
export type Digests = { key_id: string; digest: Buffer; filters_digest: Buffer | null }

const VERSION = '1'
const KEPT_BYTES = 16

/**
 * Keyed, because a plain hash of a short question is guessed in no time; a key per organization, because equal
 * questions of two of them must not be seen to be equal.
 */
export function digestsOf(dataKey: string, orgId: string, target: string, question: string, filters: Filters): Digests {
  const master = Buffer.from(dataKey, 'hex')
  const parts = Object.entries(filters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([column, value]) => [column, JSON.stringify(value)])
  return {
    key_id: keyId(dataKey),
    digest: digest(deriveKey(master, `activity/${orgId}/question/v1`), [target, question]),
    filters_digest:
      parts.length === 0 ? null : digest(deriveKey(master, `activity/${orgId}/filters/v1`), [target, ...parts]),
  }
}

/** Each part after its length, so that no two lists of parts make one message. */
function digest(key: Uint8Array, parts: readonly string[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of [VERSION, ...parts]) {
    const bytes = Buffer.from(part.normalize('NFC'))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    mac.update(length).update(bytes)
  }
  return mac.digest().subarray(0, KEPT_BYTES)
}
