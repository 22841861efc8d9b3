import { encodeOnce, type Format } from '#edge/format/negotiate.ts'
import type { Verdict } from '../search/judge.ts'
import { createHitSizes, shortenedFrameBytes } from './answer-size.ts'
import { longestPossibleCut, measureCuts } from './cut-length.ts'
import { cuttableValues, isCuttable, isFixedKey, textOf } from './cuttable.ts'
import type { Hit } from './hit.ts'
import { cutText } from './text-size.ts'

export const MAX_ANSWER_BYTES = 16 * 1024

export type Answer = Partial<Verdict> & { count: number; results: Hit[]; truncated?: true; note?: string }

type Options = { readonly verdict?: Verdict | undefined; readonly limit?: number }

/**
 * Returns an answer of at most `limit` bytes as it will be sent, and its size. Long values are cut first, all to one
 * length; then the last hits are left out. Ids, labels and numbers are never cut. The same hits give the same bytes.
 *
 * An answer that is clearly too long is not encoded to find out its size, which took several milliseconds: each piece is
 * measured once and the rest is sums, exact or a little high.
 */
export function truncateAnswer(
  hits: readonly Hit[],
  format: Format,
  { verdict, limit = MAX_ANSWER_BYTES }: Options = {},
): { answer: Answer; bytes: number } {
  const maxLength = longestPossibleCut(hits, limit)
  if (maxLength === undefined) {
    const answer = { count: hits.length, ...verdict, results: [...hits] }
    const bytes = sentBytes(answer, format)
    if (bytes <= limit) return { answer, bytes }
  }
  const shortened = shorten(hits, format, maxLength ?? limit, { verdict, limit })
  return { answer: shortened, bytes: sentBytes(shortened, format) }
}

/** The answer is sent as it was encoded here. */
function sentBytes(answer: Answer, format: Format): number {
  return Buffer.byteLength(encodeOnce(answer, format).body)
}

function shorten(
  hits: readonly Hit[],
  format: Format,
  maxLength: number,
  { verdict, limit }: Options & { limit: number },
): Answer {
  const sizes = createHitSizes(format)
  const measured = hits.map((hit) => ({ frame: sizes.withoutValues(hit, isCuttable), values: cuttableValues(hit) }))
  const cuts = measureCuts(measured, format, sizes, maxLength)
  const longestNote = noteOf({ cutValues: 9_999, length: MAX_ANSWER_BYTES, leftOut: hits.length, found: hits.length })
  const room = limit - shortenedFrameBytes(hits.length, verdict, longestNote, format)
  const count = cuts.countThatFits(room)
  const { results, note } = assemble(hits, count, cuts.longestThatFits(count, room))
  return { count, ...verdict, results, truncated: true, note }
}

function assemble(hits: readonly Hit[], count: number, length: number): { results: Hit[]; note: string } {
  let cutValues = 0
  const cut = <T>(value: T): T | string => {
    const text = isCuttable('', value) ? textOf(value) : ''
    if (text.length <= length) return value
    cutValues += 1
    return cutText(text, length)
  }
  const results = hits.slice(0, count).map(({ id, title, metadata }): Hit => {
    const entries = Object.entries(metadata).map(([key, value]) => [key, isFixedKey(key) ? value : cut(value)] as const)
    return { id, title: cut(title), metadata: Object.fromEntries(entries) }
  })
  const note = noteOf({ cutValues, length, leftOut: hits.length - count, found: hits.length })
  return { results, note }
}

type Shortening = { cutValues: number; length: number; leftOut: number; found: number }

/** Returns the note for the caller: what was cut, and how to ask for less. */
function noteOf({ cutValues, length, leftOut, found }: Shortening): string {
  const parts = [
    ...(cutValues > 0 ? [`${cutValues} ${cutValues === 1 ? 'value' : 'values'} cut to ${length} characters`] : []),
    ...(leftOut > 0 ? [`the last ${leftOut} of ${found} hits were left out`] : []),
  ]
  return `${parts.join('; ')}. Ask a narrower question, add filters or lower top_k.`
}
