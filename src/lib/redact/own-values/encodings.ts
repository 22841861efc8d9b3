import { decodeEscapes } from './decode-escapes.ts'
import type { Literal } from './find-literals.ts'

/** Returns the ways in which a value is written by common programs, but for escapes, which the search decodes. */
export function encodingsOf(value: string): Literal[] {
  const bytes = Buffer.from(value)
  const hex = bytes.toString('hex')
  const texts = [value, value.replaceAll(' ', '+'), hex, hex.toUpperCase(), hex.replaceAll(/(..)(?=.)/g, '$1 ')]
  const once = decodeEscapes(value)?.text
  const twice = once === undefined ? undefined : decodeEscapes(once)?.text
  const base64 = [0, 1, 2].flatMap((offset) => base64Of(bytes, offset))
  return [
    ...unique([...texts, once ?? value, twice ?? value]).map((text) => ({ text })),
    ...unique(base64).map((text) => ({ text, isWidened: true })),
  ]
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text.length >= MIN_ENCODED_CHARACTERS)
}

/** Six bytes have at least this many characters of Base64 of their own. Shorter texts occur by chance. */
const MIN_ENCODED_CHARACTERS = 7

/**
 * The characters of Base64, in both alphabets, that depend on nothing but the value when `offset` bytes stand before it
 * in a group of three.
 */
function base64Of(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
  const first = Math.ceil((offset * 8) / 6)
  const last = Math.floor((padded.length * 8) / 6)
  return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(first, last))
}
