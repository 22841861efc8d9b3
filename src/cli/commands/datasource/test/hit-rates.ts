import type { Question } from './questions.ts'

export const DEPTHS = [1, 3, 10] as const
export type Depth = (typeof DEPTHS)[number]

/** A question with the ids that were found, nearest first. */
export type QuestionResult = Pick<Question, 'question' | 'expect'> & { found: readonly string[] }

/** Returns the place of the first expected id, counted from 1, or null if none was found. */
export function rankOf({ expect, found }: QuestionResult): number | null {
  const place = found.findIndex((id) => expect.includes(id))
  return place === -1 ? null : place + 1
}

/** Returns how many questions found an expected id among their first `depth` hits. */
export function hitsAt(asked: readonly QuestionResult[], depth: Depth): number {
  return asked.filter((one) => (rankOf(one) ?? Number.POSITIVE_INFINITY) <= depth).length
}
