/** A text without its escapes, and where in the text with them each of its characters begins. */
type Decoded = {
  readonly text: string
  /** One entry more than the text has characters: the last one is where the escaped text ends. */
  readonly starts: Uint32Array
}

const ESCAPE =
  /(?:%[\da-f]{2})+|\\(?:u[\da-f]{4}|x[\da-f]{2}|["'`\\/bfnrt])|&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|sol|equals|plus);/gi

const CONTROLS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
  equals: '=',
  plus: '+',
}

/** Decodes escapes of addresses, of JSON and program texts, and of HTML once. Returns undefined if there are none. */
export function decodeEscapes(text: string): Decoded | undefined {
  const starts = new Uint32Array(text.length + 1)
  const parts: string[] = []
  let length = 0
  let from = 0
  const copyUntil = (end: number) => {
    parts.push(text.slice(from, end))
    while (from < end) starts[length++] = from++
  }
  for (const { index, 0: escaped } of text.matchAll(ESCAPE)) {
    copyUntil(index)
    for (const [character, width] of charactersOf(escaped)) {
      parts.push(character)
      for (let unit = 0; unit < character.length; unit++) starts[length++] = from
      from += width
    }
  }
  if (parts.length === 0) return undefined
  copyUntil(text.length)
  starts[length] = text.length
  return { text: parts.join(''), starts: starts.subarray(0, length + 1) }
}

/** The characters of an escape with the number of characters that each was written with. */
function charactersOf(escaped: string): [character: string, width: number][] {
  if (escaped.startsWith('%')) return fromPercents(escaped)
  if (escaped.startsWith('&')) return [[fromEntity(escaped.slice(1, -1).toLowerCase()), escaped.length]]
  const letter = escaped[1]!
  const isNumber = escaped.length > 2
  const character = isNumber
    ? String.fromCharCode(Number.parseInt(escaped.slice(2), 16))
    : (CONTROLS[letter.toLowerCase()] ?? letter)
  return [[character, escaped.length]]
}

function fromEntity(name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name]!
  const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code <= 0x10_ffff ? String.fromCodePoint(code) : '\ufffd'
}

/** The bytes of one character of UTF-8 belong together. */
function fromPercents(escaped: string): [string, number][] {
  const bytes = Buffer.from(escaped.replaceAll('%', ''), 'hex')
  const characters: [string, number][] = []
  for (let at = 0; at < bytes.length; ) {
    const count = Math.min(bytesOf(bytes[at]!), bytes.length - at)
    characters.push([bytes.toString('utf8', at, at + count), 3 * count])
    at += count
  }
  return characters
}

function bytesOf(first: number): number {
  if (first < 0xc0) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}
