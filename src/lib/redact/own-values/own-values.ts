import { isSecretName } from '../named-values.ts'
import type { Range } from '../ranges.ts'
import { decodeEscapes } from './decode-escapes.ts'
import { encodingsOf } from './encodings.ts'
import { createLiteralSearch, type Literal } from './find-literals.ts'

/** Shorter values occur in ordinary text by chance. */
const MIN_CHARACTERS = 8
/** Values of variables whose name means a secret are hidden from this length on, where they are whole words. */
const MIN_WORD_CHARACTERS = 4

/** Settings of programs that tell nothing, and that would otherwise be hidden in every second line. */
const PLAIN =
  /^(?:production|development|postgres(?:ql)?|localhost|127\.0\.0\.1|0\.0\.0\.0|disabled|undefined|verbose|warnings?|\d{1,11}|(?:\/[a-z][a-z._-]{0,19}){1,6}\/?)$/i

/** Escapes inside escapes are decoded this often, such as an address in JSON in a log line in JSON. */
const MAX_DECODED = 3

/**
 * Returns a search for the values of an app's variables, in any common encoding: as they are, escaped for addresses, JSON
 * and HTML, and in Base64 and hex, also as a part of something longer.
 */
export function createOwnValueSearch(variables: Readonly<Record<string, string>>): (text: string) => Range[] {
  const literals = Object.entries(variables).flatMap(([name, value]) => literalsOf(name, value))
  if (literals.length === 0) return () => []
  const search = createLiteralSearch(literals)
  return (text) => {
    const found = search(text)
    let toOriginal = (at: number) => at
    let decoded = decodeEscapes(text)
    for (let level = 1; decoded && level <= MAX_DECODED; level++) {
      const { starts } = decoded
      const before = toOriginal
      toOriginal = (at) => before(starts[at]!)
      for (const [start, end] of search(decoded.text)) found.push([toOriginal(start), toOriginal(end)])
      decoded = decodeEscapes(decoded.text)
    }
    return found
  }
}

type Part = { readonly text: string; readonly isSecret: boolean }

function literalsOf(name: string, value: string): Literal[] {
  return partsOf(value, isSecretName(name)).flatMap(({ text, isSecret }): Literal[] => {
    if (PLAIN.test(text) && !isSecret) return []
    if (text.length >= MIN_CHARACTERS) return encodingsOf(text)
    if (!isSecret || text.length < MIN_WORD_CHARACTERS) return []
    // Encoded, most of them are long enough to be found anywhere.
    return [{ text, isWord: true }, ...encodingsOf(text).filter((literal) => literal.text !== text)]
  })
}

/** The value, its lines, because programs log them one by one, and the password of an address. */
function partsOf(value: string, isSecret: boolean): Part[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim())
  const parts = [...new Set([value.trim(), ...lines])].map((text) => ({ text, isSecret }))
  return [...parts, ...passwordsOf(value).map((text) => ({ text, isSecret: true }))]
}

/** The password of an address, as it is written there and decoded. */
function passwordsOf(value: string): string[] {
  const password = URL.canParse(value) ? new URL(value).password : ''
  return password === '' ? [] : [password, decodeEscapes(password)?.text ?? password]
}
