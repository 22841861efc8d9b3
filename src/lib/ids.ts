import { randomFillSync } from 'node:crypto'

export const ID_PREFIXES = [
  'org',
  'usr',
  'tok',
  'inv',
  'ds',
  'rev',
  'dep',
  'pr',
  'exe',
  'chk',
  'tkt',
  'pl',
  'plr',
  'evt',
  'ntf',
  'dlv',
  'sub',
  'req',
  'aud',
] as const
export type IdPrefix = (typeof ID_PREFIXES)[number]

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
let lastMs = 0
let sequence = 0

/**
 * A TypeID: prefix + UUIDv7 in Crockford base32. Ids of one process sort in the order they were made,
 * so the 12 bits after the time count up within a millisecond (RFC 9562 section 6.2, method 1).
 */
export function newId(prefix: IdPrefix, now: number = Date.now()): string {
  if (now > lastMs) {
    lastMs = now
    sequence = randomFillSync(new Uint16Array(1))[0]! & 0x7ff
  } else if (++sequence > 0xfff) {
    lastMs += 1
    sequence = 0
  }
  const low = randomFillSync(new BigUint64Array(1))[0]! & 0x3fffffffffffffffn
  const high = (BigInt(lastMs) << 16n) | 0x7000n | BigInt(sequence)
  return `${prefix}_${base32((high << 64n) | 0x8000000000000000n | low)}`
}

function base32(value: bigint): string {
  let text = ''
  for (let rest = value, left = 26; left > 0; left--, rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text
  return text
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return value.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value.slice(prefix.length + 1))
}
