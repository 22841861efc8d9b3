import type { Format } from '#edge/format/negotiate.ts'

const QUOTES = 2
const ELLIPSIS = '…'
const ELLIPSIS_BYTES = 3

/** How many lengths up to `maxLength` a text can be cut to. */
export function cutCount(text: string, maxLength: number): number {
  return Math.min(text.length, maxLength + 1)
}

/**
 * Writes the encoded size of a text cut to 0, 1, 2 … `maxLength` UTF-16 units into `into`, from `from` on. Quotes, escapes
 * and the ellipsis are included; a size is never too low. Returns the size of the whole text if that is no longer than
 * `maxLength`.
 */
export function fillCutSizes(text: string, format: Format, maxLength: number, into: Uint32Array, from: number): number {
  const ascii = ASCII[format]
  const count = cutCount(text, maxLength)
  let bytes = QUOTES + ELLIPSIS_BYTES
  for (let i = 0; i < count; i++) {
    into[from + i] = bytes
    const code = text.charCodeAt(i)
    bytes += code < 0x80 ? ascii[code]! : wideBytes(text, i, code, format)
  }
  return bytes - ELLIPSIS_BYTES
}

/** The encoded size of a text in bytes, with its quotes and escapes. */
export function textBytes(text: string, format: Format): number {
  const ascii = ASCII[format]
  let bytes = QUOTES
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    bytes += code < 0x80 ? ascii[code]! : wideBytes(text, i, code, format)
  }
  return bytes
}

const SHORT_ESCAPES = new Set([0x22, 0x5c, 0x08, 0x0c, 0x0a, 0x0d, 0x09])
const UNSAFE = new Set([0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff])
const ASCII: Record<Format, Uint8Array> = { json: asciiTable('json'), yaml: asciiTable('yaml') }

/** The bytes of each ASCII character, by the escapes of `edge/format/negotiate.ts`. */
function asciiTable(format: Format): Uint8Array {
  return Uint8Array.from({ length: 0x80 }, (_, code) => {
    if (SHORT_ESCAPES.has(code)) return 2
    if (code < 0x20) return 6
    return code === 0x7f && format === 'yaml' ? 6 : 1
  })
}

/** The bytes of a UTF-16 unit beyond ASCII. A pair of surrogates is counted at its first unit. */
function wideBytes(text: string, i: number, code: number, format: Format): number {
  if (code < 0x800) return format === 'yaml' && code < 0xa0 ? 6 : 2
  if (code >= 0xd800 && code <= 0xdfff) return surrogateBytes(text, i, code, format)
  return format === 'yaml' && UNSAFE.has(code) ? 6 : 3
}

function surrogateBytes(text: string, i: number, code: number, format: Format): number {
  const lone = format === 'json' ? 6 : 3
  if (code < 0xdc00) return isLow(text.charCodeAt(i + 1)) ? 4 : lone
  return i > 0 && isHigh(text.charCodeAt(i - 1)) ? 0 : lone
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Units to look at around a cut: more than the longest sequence of emoji or accents that people write. */
const CONTEXT_UNITS = 64
/** Characters below do not combine with their neighbours, except a carriage return with its line feed. */
const FIRST_COMBINING = 0x300

/** Cuts the text to at most `length` units, between two characters as people see them, and adds an ellipsis. */
export function cutText(text: string, length: number): string {
  return text.slice(0, boundaryBefore(text, length)) + ELLIPSIS
}

function boundaryBefore(text: string, length: number): number {
  const [before, after] = [text.charCodeAt(length - 1), text.charCodeAt(length)]
  if (before < FIRST_COMBINING && after < FIRST_COMBINING)
    return before === 0x0d && after === 0x0a ? length - 1 : length
  const from = Math.max(0, length - CONTEXT_UNITS)
  const start = from > 0 && isLow(text.charCodeAt(from)) ? from + 1 : from
  const around = segmenter.segment(text.slice(start, length + CONTEXT_UNITS)).containing(length - start)
  const boundary = start + (around?.index ?? length - start)
  return boundary > 0 ? boundary : length - (isHigh(before) ? 1 : 0)
}
