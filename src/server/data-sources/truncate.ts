import type { Format } from '#edge/negotiate.ts'
import { createRuler, type Ruler } from './answer-size.ts'
import { cutText, textSizes } from './text-size.ts'

export const ANSWER_BYTES = 16 * 1024
const SHORTEST_CUT = 64

export type Hit = { id: string; title: string | null; metadata: Record<string, unknown> }
export type Answer = { count: number; results: Hit[]; truncated?: true; note?: string }

/**
 * At most `limit` bytes as it will be sent: long values are cut first, all to one length, then the last hits go.
 * Ids, labels and numbers are never cut. Pure, and the same answer always gives the same bytes.
 *
 * Nothing is written to be measured: each piece is measured once, and the rest is sums, never too low. Writing an
 * answer again and again took 2 ms of JSON and 4 ms of YAML at the 99th percentile.
 */
export function truncateAnswer(hits: readonly Hit[], format: Format, limit = ANSWER_BYTES): Answer {
  const texts = hits.map(cuttable)
  const thinkable = longestThinkable(texts, limit)
  const ruler = createRuler(format)
  const measured = hits.map((hit, i) => measure(hit, texts[i]!, format, ruler, thinkable ?? limit))
  if (thinkable === undefined && ruler.whole(hits.length, sumAt(measured, limit)) <= limit) {
    return { count: hits.length, results: [...hits] }
  }
  const room = limit - ruler.around(hits.length, noteOf(9_999, ANSWER_BYTES, hits.length, hits.length))
  const kept = mostThatFit(measured, room)
  const length = longestCut(measured.slice(0, kept), room, thinkable ?? limit)
  return assemble(hits, kept, length)
}

/**
 * Each unit takes a byte or more, so no cut can be longer than this; undefined when the lengths alone do not say
 * that anything must be cut. Spares looking at what will be cut off anyway.
 */
function longestThinkable(texts: readonly (readonly Cuttable[])[], limit: number): number | undefined {
  const lengths = Uint32Array.from(texts.flat(), ({ text }) => text.length).sort()
  let room = limit
  for (let i = 0; i < lengths.length; i++) {
    const share = Math.floor(room / (lengths.length - i))
    if (lengths[i]! > share) return Math.max(share, SHORTEST_CUT)
    room -= lengths[i]!
  }
  return undefined
}

type Cuttable = { key: string; value: unknown; text: string }

type Measured = {
  /** Bytes with every value that can be cut left out. */
  frame: number
  values: { length: number; whole: number; cutTo: Uint32Array }[]
}

function measure(
  hit: Hit,
  texts: readonly Cuttable[],
  format: Format,
  ruler: Ruler,
  longest: number,
): Measured {
  const values = texts.map(({ key, value, text }) => {
    const { whole, cutTo } = textSizes(text, format, longest)
    const { length } = text
    return { length, cutTo, whole: typeof value === 'string' || length > longest ? whole : ruler.value(key, value) }
  })
  return { frame: ruler.frame(hit, (key, value) => !isFixed(key) && canBeCut(value)), values }
}

/** Bytes of a hit whose values are cut to `length`. */
function bytesAt({ frame, values }: Measured, length: number): number {
  let sum = frame
  for (const value of values) sum += value.length <= length ? value.whole : value.cutTo[length]!
  return sum
}

function sumAt(measured: readonly Measured[], length: number): number {
  return measured.reduce((sum, hit) => sum + bytesAt(hit, length), 0)
}

function mostThatFit(measured: readonly Measured[], room: number): number {
  let left = room
  const kept = measured.findIndex((hit) => {
    left -= bytesAt(hit, SHORTEST_CUT)
    return left < 0
  })
  return kept === -1 ? measured.length : kept
}

function longestCut(kept: readonly Measured[], room: number, longest: number): number {
  let [low, high] = [SHORTEST_CUT, longest]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sumAt(kept, middle) <= room) low = middle
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
  const found: Cuttable[] = title === null ? [] : [{ key: 'title', value: title, text: title }]
  for (const [key, value] of Object.entries(metadata)) {
    if (!isFixed(key) && canBeCut(value)) found.push({ key, value, text: textOf(value) })
  }
  return found
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
