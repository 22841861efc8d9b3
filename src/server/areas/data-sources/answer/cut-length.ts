import type { Format } from '#edge/format/negotiate.ts'
import type { HitSizes } from './answer-size.ts'
import { type CuttableValue, isCuttable, textOf } from './cuttable.ts'
import type { Hit } from './hit.ts'
import { cutCount, fillCutSizes } from './text-size.ts'

/** No value is cut shorter: hits are left out instead. */
const MIN_CUT_LENGTH = 64

/**
 * The longest length that values can be cut to if all hits shall fit, so that nothing beyond it has to be measured: each
 * character takes one byte or more. Returns undefined if the lengths alone do not show that something must be cut.
 */
export function longestPossibleCut(hits: readonly Hit[], limit: number): number | undefined {
  if (totalLength(hits) <= limit) return undefined
  const lengths = hits.flatMap(textLengths)
  let room = limit
  for (const [i, length] of Uint32Array.from(lengths).sort().entries()) {
    const share = Math.floor(room / (lengths.length - i))
    if (length > share) return Math.max(share, MIN_CUT_LENGTH)
    room -= length
  }
  return undefined
}

/** The sum of `textLengths`, without a list: this is all that most answers need. */
function totalLength(hits: readonly Hit[]): number {
  let total = 0
  for (const { title, metadata } of hits) {
    if (title !== null) total += title.length
    for (const key in metadata) if (isCuttable(key, metadata[key])) total += textOf(metadata[key]).length
  }
  return total
}

function textLengths({ title, metadata }: Hit): number[] {
  const lengths = title === null ? [] : [title.length]
  for (const key in metadata) if (isCuttable(key, metadata[key])) lengths.push(textOf(metadata[key]).length)
  return lengths
}

/** A hit: its bytes without the values that can be cut, and those values. */
type MeasuredHit = { readonly frame: number; readonly values: readonly CuttableValue[] }

/** `whole` is the size in bytes without a cut; `from` is where the sizes of the cuts begin. */
type ValueSize = { readonly length: number; readonly whole: number; readonly from: number }

type Cuts = {
  /** How many of the hits fit into `room` bytes when values are cut as short as possible. */
  countThatFits(room: number): number
  /** The longest length at which the first `count` hits fit into `room` bytes. */
  longestThatFits(count: number, room: number): number
}

/** Measures every cut of every value up to `maxLength` characters at once: trying a length is then a look-up each. */
export function measureCuts(hits: readonly MeasuredHit[], format: Format, sizes: HitSizes, maxLength: number): Cuts {
  const total = hits.reduce(
    (sum, { values }) => values.reduce((all, { text }) => all + cutCount(text, maxLength), sum),
    0,
  )
  const cutSizes = new Uint32Array(total)
  let from = 0
  const sizeOf = ({ key, value, text }: CuttableValue): ValueSize => {
    const textSize = fillCutSizes(text, format, maxLength, cutSizes, from)
    const whole = typeof value === 'string' || text.length > maxLength ? textSize : sizes.ofValue(key, value)
    const size = { length: text.length, whole, from }
    from += cutCount(text, maxLength)
    return size
  }
  const measured = hits.map(({ frame, values }) => ({ frame, values: values.map(sizeOf) }))
  const bytesAt = (hit: number, length: number): number => {
    const { frame, values } = measured[hit]!
    let bytes = frame
    for (const value of values) bytes += value.length <= length ? value.whole : cutSizes[value.from + length]!
    return bytes
  }
  return {
    countThatFits(room) {
      let bytes = 0
      for (const hit of measured.keys()) {
        bytes += bytesAt(hit, MIN_CUT_LENGTH)
        if (bytes > room) return hit
      }
      return measured.length
    },
    longestThatFits: (count, room) =>
      longestLength(maxLength, (length) => sumOf(count, (hit) => bytesAt(hit, length)) <= room),
  }
}

function sumOf(count: number, valueAt: (i: number) => number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += valueAt(i)
  return sum
}

/** The longest length that fits, by bisection; MIN_CUT_LENGTH if none does. */
function longestLength(maxLength: number, fits: (length: number) => boolean): number {
  let [low, high] = [MIN_CUT_LENGTH, maxLength]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}
