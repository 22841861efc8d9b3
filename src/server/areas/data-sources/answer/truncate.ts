import type { Format } from '#edge/http/negotiate.ts'
import { bytesOf, createRuler, type Ruler } from './answer-size.ts'
import type { Hit } from './hit.ts'
import { cutCount, cutText, fillCutSizes } from './text-size.ts'

export const ANSWER_BYTES = 16 * 1024
const SHORTEST_CUT = 64

export type Answer = { count: number; results: Hit[]; truncated?: true; note?: string }

/**
 * At most `limit` bytes as it will be sent, and how many: long values are cut first, all to one length, then the last
 * hits go. Ids, labels and numbers are never cut. Pure, and the same answer always gives the same bytes.
 *
 * What may be too long is not written out to see how long it is, which took several milliseconds: each piece is
 * measured once and the rest is sums, exact or a little high.
 */
export function truncateAnswer(
  hits: readonly Hit[],
  format: Format,
  limit = ANSWER_BYTES,
): { answer: Answer; bytes: number } {
  const texts = hits.map(cuttable)
  const longest = longestThinkable(texts, limit)
  if (longest === undefined) {
    const answer = { count: hits.length, results: [...hits] }
    const bytes = bytesOf(answer, format)
    if (bytes <= limit) return { answer, bytes }
  }
  const answer = shorten(hits, texts, format, longest ?? limit, limit)
  return { answer, bytes: bytesOf(answer, format) }
}

function shorten(
  hits: readonly Hit[],
  texts: readonly (readonly Cuttable[])[],
  format: Format,
  longest: number,
  limit: number,
): Answer {
  const ruler = createRuler(format)
  const pieces = hits.map((hit, i) => ({ frame: ruler.frame(hit, isCuttable), texts: texts[i]! }))
  const measured = measure(pieces, format, ruler, longest)
  const room = limit - ruler.around(hits.length, noteOf(9_999, ANSWER_BYTES, hits.length, hits.length))
  const kept = mostThatFit(measured, room)
  return assemble(hits, kept, longestCut(measured, kept, room, longest))
}

type Cuttable = { key: string; value: unknown; text: string }
/** A hit: its bytes with every value that can be cut left out, and those values. */
type Pieces = { frame: number; texts: readonly Cuttable[] }

/**
 * Each unit takes a byte or more, so no cut can be longer than this; undefined when the lengths alone do not say
 * that anything must be cut. Spares looking at what will be cut off anyway.
 */
function longestThinkable(texts: readonly (readonly Cuttable[])[], limit: number): number | undefined {
  const lengths = texts.flatMap((all) => all.map(({ text }) => text.length))
  if (lengths.reduce((sum, length) => sum + length, 0) <= limit) return undefined
  let room = limit
  for (const [i, length] of Uint32Array.from(lengths).sort().entries()) {
    const share = Math.floor(room / (lengths.length - i))
    if (length > share) return Math.max(share, SHORTEST_CUT)
    room -= length
  }
  return undefined
}

/** `from`: where the sizes of its cuts begin. */
type Size = { length: number; whole: number; from: number }
type Measured = { hits: { frame: number; values: Size[] }[]; cuts: Uint32Array }

function measure(pieces: readonly Pieces[], format: Format, ruler: Ruler, longest: number): Measured {
  const room = pieces.flatMap(({ texts }) => texts.map(({ text }) => cutCount(text, longest)))
  const cuts = new Uint32Array(room.reduce((sum, count) => sum + count, 0))
  let from = 0
  const sizeOf = ({ key, value, text }: Cuttable): Size => {
    const written = fillCutSizes(text, format, longest, cuts, from)
    const whole = typeof value === 'string' || text.length > longest ? written : ruler.value(key, value)
    const size = { length: text.length, whole, from }
    from += cutCount(text, longest)
    return size
  }
  return { hits: pieces.map(({ frame, texts }) => ({ frame, values: texts.map(sizeOf) })), cuts }
}

/** Bytes of one hit whose values are cut to `length`. */
function bytesAt({ hits, cuts }: Measured, hit: number, length: number): number {
  const { frame, values } = hits[hit]!
  let sum = frame
  for (const value of values) sum += value.length <= length ? value.whole : cuts[value.from + length]!
  return sum
}

function mostThatFit(measured: Measured, room: number): number {
  let left = room
  for (const hit of measured.hits.keys()) {
    left -= bytesAt(measured, hit, SHORTEST_CUT)
    if (left < 0) return hit
  }
  return measured.hits.length
}

function longestCut(measured: Measured, kept: number, room: number, longest: number): number {
  let [low, high] = [SHORTEST_CUT, longest]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    let bytes = 0
    for (let hit = 0; hit < kept; hit++) bytes += bytesAt(measured, hit, middle)
    if (bytes <= room) low = middle
    else high = middle - 1
  }
  return low
}

function assemble(hits: readonly Hit[], kept: number, length: number): Answer {
  let cut = 0
  const cutValue = (value: unknown): unknown => {
    const text = canBeCut(value) ? textOf(value) : ''
    if (text.length <= length) return value
    cut += 1
    return cutText(text, length)
  }
  const results = hits.slice(0, kept).map(({ id, title, metadata }) => {
    const entries = Object.entries(metadata).map(([key, value]) => [key, isFixed(key) ? value : cutValue(value)])
    return { id, title: cutValue(title) as string | null, metadata: Object.fromEntries(entries) as Hit['metadata'] }
  })
  return { count: kept, results, truncated: true, note: noteOf(cut, length, hits.length - kept, hits.length) }
}

/** What was cut, and how to ask for less. */
function noteOf(cut: number, length: number, left: number, asked: number): string {
  const parts = [
    ...(cut > 0 ? [`${cut} ${cut === 1 ? 'value' : 'values'} cut to ${length} characters`] : []),
    ...(left > 0 ? [`the last ${left} of ${asked} hits were left out`] : []),
  ]
  return `${parts.join('; ')}. Ask a narrower question, add filters or lower top_k.`
}

function cuttable({ title, metadata }: Hit): Cuttable[] {
  const found: Cuttable[] = title === null ? [] : [{ key: 'title', value: title, text: title }]
  for (const [key, value] of Object.entries(metadata)) {
    if (isCuttable(key, value)) found.push({ key, value, text: textOf(value) })
  }
  return found
}

function isCuttable(key: string, value: unknown): boolean {
  return !isFixed(key) && canBeCut(value)
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
