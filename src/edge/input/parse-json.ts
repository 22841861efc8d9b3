import { ServiceError } from '#contract/core/errors.ts'
import { MAX_JSON_DEPTH, MAX_JSON_KEYS, MAX_JSON_VALUES } from '#contract/core/limits.ts'

/** Values of a shorter text take little memory, and to look at them is cheaper than to look at every character. */
const MAX_UNSCANNED_LENGTH = 256 * 1024

/**
 * Parses the JSON of a request. Throws MALFORMED_REQUEST for other text. `JSON.parse` has no limit of depth, keys and
 * number of values, so a long text is compared with the limits before anything is built, and a short one afterwards.
 */
export function parseJson(text: string): unknown {
  const isLong = text.length > MAX_UNSCANNED_LENGTH
  if (isLong) refuseLargeText(text)
  const value = parse(text)
  if (!isLong && !isSmall(text)) refuseLargeValue(value, 0)
  return value
}

/** A key takes at least five characters (`"":0,`), and a level one opening mark. */
function isSmall(text: string): boolean {
  return (
    text.length < MAX_JSON_KEYS * 5 &&
    !hasMore(text, '{', MAX_JSON_DEPTH / 2) &&
    !hasMore(text, '[', MAX_JSON_DEPTH / 2)
  )
}

function hasMore(text: string, mark: string, limit: number): boolean {
  let count = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) if (++count > limit) return true
  return false
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('MALFORMED_REQUEST', 'The body is not valid JSON.', { cause })
  }
}

/** A short text cannot have too many values in all. */
function refuseLargeValue(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_JSON_DEPTH) throw tooDeep()
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n++) refuseLargeValue(value[n], depth + 1)
    return
  }
  let keys = 0
  // Not `Object.values`, which takes as long as parsing an object of many keys.
  for (const key in value) {
    if (++keys > MAX_JSON_KEYS) throw tooManyKeys()
    refuseLargeValue((value as Record<string, unknown>)[key], depth + 1)
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Looks only at the marks outside texts. Invalid JSON is left to the parser. */
function refuseLargeText(text: string): void {
  const keys = new Uint32Array(MAX_JSON_DEPTH + 2)
  const gap = /[\0- ]*/y
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < QUOTE) {
      if (isLongGap(text, at)) at = endOfGap(text, at, gap) - 1
      continue
    }
    switch (code) {
      case QUOTE:
        at = endOfText(text, at)
        break
      case COMMA:
        if (++values > MAX_JSON_VALUES) throw tooLarge(`At most ${MAX_JSON_VALUES} values are accepted.`)
        break
      case COLON:
        if (++keys[depth]! > MAX_JSON_KEYS) throw tooManyKeys()
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_JSON_DEPTH + 1) throw tooDeep()
        keys[depth] = 0
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth > 0) depth--
        break
    }
  }
}

/** The parser skips spaces several times faster than a loop does, and a regular expression almost as fast. */
const GAP_LENGTH = 8

/** Looks at two of the next characters: most gaps are short, and starting the regular expression takes longer than they do. */
function isLongGap(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) < QUOTE && text.charCodeAt(at + GAP_LENGTH) < QUOTE
}

/** Equal texts are compared many characters at a time, which is faster still. */
const SPACES = ' '.repeat(4096)

function endOfGap(text: string, start: number, gap: RegExp): number {
  let at = start
  while (text.slice(at, at + SPACES.length) === SPACES) at += SPACES.length
  gap.lastIndex = at
  gap.test(text)
  return gap.lastIndex
}

/** Returns the place of the closing quote, or the end of a text that has none. */
function endOfText(text: string, start: number): number {
  if (text.charCodeAt(start + 1) === QUOTE) return start + 1
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  // Most texts have no quote inside; one that has is followed character by character.
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}

function tooDeep(): ServiceError {
  const detail = `The body is nested too deeply. At most ${MAX_JSON_DEPTH} levels are accepted.`
  return new ServiceError('INVALID_REQUEST', detail)
}

function tooManyKeys(): ServiceError {
  return tooLarge(`An object may have at most ${MAX_JSON_KEYS} keys.`)
}

function tooLarge(limit: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `The body has too many parts. ${limit}`)
}
