import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const random = new Uint8Array(4096)
let randomUsed = random.length
/** By prefix: ids of different prefixes are never compared, so a clock that is ahead for one does not move the others. */
const lastIds = new Map<string, { ms: number; sequence: number }>()

/**
 * Makes a TypeID: prefix + UUIDv7 in Crockford base32. Ids of one process and prefix sort in the order they were made, so
 * the 12 bits after the time count up within a millisecond (RFC 9562 section 6.2, method 1). Code that knows the domain calls
 * `newId` of the edge, which takes only the product's prefixes.
 */
export function makeId(prefix: string, now: number = Date.now()): string {
  const bytes = new Uint8Array(16)
  takeRandom(bytes)
  const last = lastOf(prefix)
  if (now > last.ms) {
    last.ms = now
    last.sequence = ((bytes[6]! << 8) | bytes[7]!) & 0x7ff
  } else if (++last.sequence > 0xfff) {
    last.ms += 1
    last.sequence = 0
  }
  for (let i = 5, rest = last.ms; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256
  bytes[6] = 0x70 | (last.sequence >> 8)
  bytes[7] = last.sequence & 0xff
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return `${prefix}_${base32(bytes)}`
}

function lastOf(prefix: string): { ms: number; sequence: number } {
  const previous = lastIds.get(prefix)
  if (previous) return previous
  const first = { ms: 0, sequence: 0 }
  lastIds.set(prefix, first)
  return first
}

/** Returns a text that sorts before every id with this prefix made at `ms` or later, and after all made earlier. */
export function lowestIdAt(prefix: string, ms: number): string {
  const bytes = new Uint8Array(16)
  for (let i = 5, rest = ms; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256
  return `${prefix}_${base32(bytes)}`
}

/** Returns when an id was made, in milliseconds: its first ten digits are the time. */
export function timeOfId(id: string): number {
  const first = id.indexOf('_') + 1
  let ms = 0
  for (let place = first; place < first + 10; place++) ms = ms * 32 + ALPHABET.indexOf(id.charAt(place))
  return ms
}

/** Takes from a buffer of random bytes, because asking the system for a few bytes costs as much as for many. */
function takeRandom(bytes: Uint8Array): void {
  if (randomUsed + bytes.length > random.length) {
    randomFillSync(random)
    randomUsed = 0
  }
  bytes.set(random.subarray(randomUsed, randomUsed + bytes.length))
  randomUsed += bytes.length
}

/** Writes 128 bits as 26 digits of 5 bits each; the first digit holds only 3 bits. */
function base32(bytes: Uint8Array): string {
  let text = ''
  let bitBuffer = 0
  let bits = 2
  for (const byte of bytes) {
    bitBuffer = (bitBuffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(bitBuffer >> bits) & 31]
    }
    bitBuffer &= (1 << bits) - 1
  }
  return text
}
