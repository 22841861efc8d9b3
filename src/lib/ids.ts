import { randomFillSync } from 'node:crypto'

export const ID_PREFIXES = [
  'org',
  'usr',
  'tok',
  'inv',
  'ds',
  'app',
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
  'ses',
  'sup',
  'mdb',
  'act',
  'grt',
  'oac',
] as const
export type IdPrefix = (typeof ID_PREFIXES)[number]

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const random = new Uint8Array(4096)
let randomUsed = random.length
let lastMs = 0
let sequence = 0

/**
 * A TypeID: prefix + UUIDv7 in Crockford base32. Ids of one process sort in the order they were made,
 * so the 12 bits after the time count up within a millisecond (RFC 9562 section 6.2, method 1).
 */
export function newId(prefix: IdPrefix, now: number = Date.now()): string {
  const bytes = new Uint8Array(16)
  takeRandom(bytes)
  if (now > lastMs) {
    lastMs = now
    sequence = ((bytes[6]! << 8) | bytes[7]!) & 0x7ff
  } else if (++sequence > 0xfff) {
    lastMs += 1
    sequence = 0
  }
  for (let i = 5, rest = lastMs; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256
  bytes[6] = 0x70 | (sequence >> 8)
  bytes[7] = sequence & 0xff
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return `${prefix}_${base32(bytes)}`
}

/** From a store filled at once: asking the system for a few bytes costs as much as asking for many. */
function takeRandom(bytes: Uint8Array): void {
  if (randomUsed + bytes.length > random.length) {
    randomFillSync(random)
    randomUsed = 0
  }
  bytes.set(random.subarray(randomUsed, randomUsed + bytes.length))
  randomUsed += bytes.length
}

/** 128 bits as 26 digits of 5, the first holding only 3. */
function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 2
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return text
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return value.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value.slice(prefix.length + 1))
}
