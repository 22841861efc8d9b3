import { DEPTHS, type Depth, hitsAt, type QuestionResult, rankOf } from '../../../datasource/test/hit-rates.ts'

/** A question whose expected id one model finds and the other does not, or both in other places. */
export type ComparedQuestion = {
  readonly question: string
  readonly expect: readonly string[]
  readonly outcome: 'found' | 'lost' | 'moved' | 'same'
  /** Place of the first expected id, counted from 1; null if it is not among the hits. */
  readonly rank_before: number | null
  readonly rank_after: number | null
  /** Ids that the new model finds, nearest first. */
  readonly found: readonly string[]
}

export type Comparison = {
  readonly questions: number
  readonly hit_rate: Record<`at_${Depth}`, { readonly before: number; readonly after: number }>
  readonly outcomes: Record<ComparedQuestion['outcome'], number>
  readonly results: readonly ComparedQuestion[]
}

/** Compares the answers to the same questions, in the same order. */
export function compareAnswers(before: readonly QuestionResult[], after: readonly QuestionResult[]): Comparison {
  const results = before.map((one, place) => compareOne(one, after[place]!))
  const count = (outcome: ComparedQuestion['outcome']) => results.filter((one) => one.outcome === outcome).length
  const rates = DEPTHS.map((depth) => [`at_${depth}`, { before: hitsAt(before, depth), after: hitsAt(after, depth) }])
  return {
    questions: results.length,
    hit_rate: Object.fromEntries(rates) as Comparison['hit_rate'],
    outcomes: { found: count('found'), lost: count('lost'), moved: count('moved'), same: count('same') },
    results,
  }
}

function compareOne(before: QuestionResult, after: QuestionResult): ComparedQuestion {
  const [rank_before, rank_after] = [rankOf(before), rankOf(after)]
  const { question, expect } = before
  return { question, expect, outcome: outcomeOf(rank_before, rank_after), rank_before, rank_after, found: after.found }
}

function outcomeOf(before: number | null, after: number | null): ComparedQuestion['outcome'] {
  if (before === after) return 'same'
  if (before === null) return 'found'
  return after === null ? 'lost' : 'moved'
}

/** Whether the new model finds fewer of the expected ids among ten hits. */
export function isWorse({ hit_rate }: Comparison): boolean {
  return hit_rate.at_10.after < hit_rate.at_10.before
}
