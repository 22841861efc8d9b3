import { ServiceError } from '#contract/core/errors.ts'
import { MAX_JSON_DEPTH, MAX_JSON_KEYS, MAX_JSON_VALUES } from '#contract/core/limits.ts'

/**
 * Parses the JSON of a request. Throws MALFORMED_REQUEST for other text. Depth, keys and number of values are compared
 * with their limits before anything is built, because `JSON.parse` itself has none.
 */
export function parseJson(text: string): unknown {
  refuseLargeJson(text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('MALFORMED_REQUEST', 'The body is not valid JSON.', { cause })
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** A shorter text cannot pass any of the limits. */
const MIN_SCANNED_LENGTH = MAX_JSON_DEPTH

/** Looks only at the marks outside texts. Invalid JSON is left to the parser. */
function refuseLargeJson(text: string): void {
  if (text.length <= MIN_SCANNED_LENGTH) return
  const keys = new Uint32Array(MAX_JSON_DEPTH + 2)
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at)
        break
      case COMMA:
        if (++values > MAX_JSON_VALUES) throw tooLarge(`At most ${MAX_JSON_VALUES} values are accepted.`)
        break
      case COLON:
        if (++keys[depth]! > MAX_JSON_KEYS) throw tooLarge(`An object may have at most ${MAX_JSON_KEYS} keys.`)
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

/** Returns the place of the closing quote, or the end of a text that has none. */
function endOfText(text: string, start: number): number {
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

function tooLarge(limit: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `The body has too many parts. ${limit}`)
}
