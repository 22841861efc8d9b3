import { encode, type Format } from '#edge/negotiate.ts'
import { cutSizes, cutText, textBytes } from './text-size.ts'

export const ANSWER_BYTES = 16 * 1024
const SHORTEST_CUT = 64

export type Hit = { id: string; title: string | null; metadata: Record<string, unknown> }
export type Answer = { count: number; results: Hit[]; truncated?: true; note?: string }

/**
 * At most `limit` bytes as it will be sent: long values are cut first, all to one length, then the last hits go.
 * Ids, labels and numbers are never cut. Pure, and the same answer always gives the same bytes.
 */
export function truncateAnswer(hits: readonly Hit[], format: Format, limit = ANSWER_BYTES): Answer {
  const whole: Answer = { count: hits.length, results: [...hits] }
  const texts = hits.map(cuttable)
  const longest = longestThinkable(texts.flat(), limit)
  if (longest === undefined && bytesOf(whole, format) <= limit) return whole
  const measured = hits.map((hit, i) => measure(hit, texts[i]!, format, longest ?? limit))
  const kept = mostThatFit(measured, format, limit)
  const cut = longestCut(measured.slice(0, kept), hits.length, format, limit, longest ?? limit)
  return settle(hits, kept, cut, format, limit)
}

/**
 * Each unit takes a byte or more, so no cut can be longer than this; undefined when the lengths alone do not say
 * that anything must be cut. Spares looking at what will be cut off anyway.
 */
function longestThinkable(values: readonly Cuttable[], limit: number): number | undefined {
  const lengths = values.map(({ text }) => text.length).sort((a, b) => a - b)
  let room = limit
  for (const [i, length] of lengths.entries()) {
    const share = Math.floor(room / (lengths.length - i))
    if (length > share) return Math.max(share, SHORTEST_CUT)
    room -= length
  }
  return undefined
}

/** The sums are exact or a little high, so this ends at once; it is here because the limit is a promise. */
function settle(hits: readonly Hit[], kept: number, cut: number, format: Format, limit: number): Answer {
  for (let length = cut; ; length = Math.max(SHORTEST_CUT, length - 16)) {
    const answer = assemble(hits, kept, length)
    if (bytesOf(answer, format) <= limit || kept === 0) return answer
    if (length === SHORTEST_CUT) return settle(hits, kept - 1, cut, format, limit)
  }
}

type Cuttable = { key: string; value: unknown; text: string }

type Measured = {
  /** Bytes with every value that can be cut left out. */
  frame: number
  values: { length: number; whole: number; cutTo: Uint32Array }[]
}

function measure(hit: Hit, texts: readonly Cuttable[], format: Format, longest: number): Measured {
  const values = texts.map(({ key, value, text }) => ({
    length: text.length,
    whole: text.length > longest ? 0 : wholeBytes(key, value, format),
    cutTo: cutSizes(text, format, longest),
  }))
  return { frame: frameBytes(hit, texts.length, format), values }
}

function wholeBytes(key: string, value: unknown, format: Format): number {
  return typeof value === 'string' ? textBytes(value, format) : nativeBytes(key, value, format)
}

/** Bytes of a hit whose values are cut to `length`. */
function bytesAt({ frame, values }: Measured, length: number): number {
  return values.reduce((sum, value) => sum + (value.length <= length ? value.whole : value.cutTo[length]!), frame)
}

function mostThatFit(measured: readonly Measured[], format: Format, limit: number): number {
  let room = limit - envelopeBytes(measured.length, format)
  const kept = measured.findIndex((hit) => {
    room -= bytesAt(hit, SHORTEST_CUT)
    return room < 0
  })
  return kept === -1 ? measured.length : kept
}

function longestCut(kept: readonly Measured[], asked: number, format: Format, limit: number, longest: number): number {
  const room = limit - envelopeBytes(asked, format)
  let [low, high] = [SHORTEST_CUT, longest]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const bytes = kept.reduce((sum, hit) => sum + bytesAt(hit, middle), 0)
    if (bytes <= room) low = middle
    else high = middle - 1
  }
  return low
}

function assemble(hits: readonly Hit[], kept: number, length: number): Answer {
  let cut = 0
  const shorten = (value: unknown): unknown => {
    const text = canBeCut(value) ? textOf(value) : ''
    if (text.length <= length) return value
    cut += 1
    return cutText(text, length)
  }
  const results = hits.slice(0, kept).map(({ id, title, metadata }) => {
    const entries = Object.entries(metadata).map(([key, value]) => [key, isFixed(key) ? value : shorten(value)])
    return { id, title: shorten(title) as string | null, metadata: Object.fromEntries(entries) as Hit['metadata'] }
  })
  return { count: kept, results, truncated: true, note: noteOf(cut, length, hits.length - kept, hits.length) }
}

/** What was cut, and how to ask for less. */
function noteOf(cut: number, length: number, left: number, asked: number): string {
  const parts = [
    ...(cut > 0 ? [`${cut} ${cut === 1 ? 'value' : 'values'} cut to ${length} characters`] : []),
    ...(left > 0 ? [`the last ${left} of ${asked} hits left out`] : []),
  ]
  return `${parts.join('; ')}. Ask a narrower question, add filters or lower top_k.`
}

function cuttable({ title, metadata }: Hit): Cuttable[] {
  const entries = [['title', title] as const, ...Object.entries(metadata).filter(([key]) => !isFixed(key))]
  const long = entries.filter(([, value]) => canBeCut(value))
  return long.map(([key, value]) => ({ key, value, text: textOf(value) }))
}

function isFixed(key: string): boolean {
  return key === '_score' || key === '_target'
}

function canBeCut(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

/** A JSON column is cut as its JSON text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function bytesOf(value: unknown, format: Format): number {
  return Buffer.byteLength(encode(value, format).body)
}

/** As one of several: in JSON a comma stands between them, in YAML they stand on lines of their own. */
function frameBytes({ id, title, metadata }: Hit, values: number, format: Format): number {
  const empty = (key: string, value: unknown) => (!isFixed(key) && canBeCut(value) ? '' : value)
  const entries = Object.entries(metadata).map(([key, value]) => [key, empty(key, value)])
  const hit = { id, title: empty('title', title), metadata: Object.fromEntries(entries) as object }
  const alone = bytesOf({ results: [hit] }, format) - bytesOf({ results: [] }, format)
  return alone + SEPARATOR[format] - EMPTY_STRING * values
}

const SEPARATOR: Record<Format, number> = { json: 1, yaml: 3 }
const EMPTY_STRING = 2

function nativeBytes(key: string, value: unknown, format: Format): number {
  const wrap = (inner: unknown) => bytesOf({ results: [{ metadata: { [key]: inner } }] }, format)
  return wrap(value) - wrap('') + 2
}

/** Everything around the hits, with the longest note there can be. */
function envelopeBytes(asked: number, format: Format): number {
  const note = noteOf(9_999, ANSWER_BYTES, asked, asked)
  return bytesOf({ count: asked, results: ['x'], truncated: true, note }, format) - 3
}
