import { expect, it } from 'vitest'
import { chooseSearch, type Measurement } from './choose-search.ts'

const repeat = (recall: number, count: number): number[] => Array.from({ length: count }, () => recall)
/** 200 questions of each of two kinds. */
const at = (effort: number, ms: number, between: number[], far = repeat(1, 200)): Measurement => ({
  effort,
  ms,
  recalls: [between, far],
})

const ALL = repeat(1, 200)
const MORE_THAN_ENOUGH = [...repeat(1, 185), ...repeat(0.9, 15)]
const JUST_ENOUGH = [...repeat(1, 181), ...repeat(0.9, 19)]
const TOO_FEW = repeat(0.9, 200)
const ONE_POOR = [...repeat(1, 199), 0]
const TWO_POOR = [...repeat(1, 198), ...repeat(0.4, 2)]

it.each<[string, number, Measurement[], unknown[]]>([
  ['the smallest effort that finds all', 50, [at(40, 1, TOO_FEW), at(80, 2, ALL), at(120, 3, ALL)], ['index', 80, 1]],
  ['0.9925 is enough', 50, [at(40, 1, MORE_THAN_ENOUGH)], ['index', 40, 0.9925]],
  ['0.9905 may be chance', 50, [at(40, 1, JUST_ENOUGH), at(80, 2, ALL)], ['index', 80, 1]],
  ['every kind of question must find enough', 50, [at(40, 1, ALL, TOO_FEW), at(80, 2, ALL)], ['index', 80, 1]],
  ['one question of 200 may find nothing', 50, [at(40, 1, ONE_POOR)], ['index', 40, 0.995]],
  ['two that find less than half are too many', 50, [at(40, 1, TWO_POOR), at(80, 2, ALL)], ['index', 80, 1]],
  ['a large effort, if no smaller one suffices', 50, [at(40, 1, TOO_FEW), at(1000, 9, ALL)], ['index', 1000, 1]],
  ['an exact search that is as fast', 2, [at(40, 1, TOO_FEW), at(80, 2, ALL)], ['exact', null, 1]],
  ['an exact search, if no effort suffices', 50, [at(40, 1, TOO_FEW), at(1000, 9, TOO_FEW)], ['exact', null, 1]],
  ['the largest effort, if an exact search takes seconds', 1_001, [at(1000, 9, TOO_FEW)], ['index', 1000, 0.9]],
])('DS-15 the search is set to %s', (_what, exactMs, measurements, expected) => {
  const choice = chooseSearch(exactMs, measurements)!
  expect([choice.method, choice.effort, Number(choice.recall.toFixed(4))]).toEqual(expected)
  expect(choice.questions).toBe(400)
})

it('DS-15 the choice says why, and what the index found', () => {
  const reasonOf = (exactMs: number, measured: Measurement) => {
    const { reason, index_recall } = chooseSearch(exactMs, [measured])!
    return [reason, Number(index_recall.toFixed(4))]
  }
  expect(reasonOf(50, at(40, 1, ALL))).toEqual(['recall_reached', 1])
  expect(reasonOf(1, at(40, 1, TOO_FEW))).toEqual(['exact_is_cheaper', 0.9])
  expect(reasonOf(1_000, at(1000, 9, TOO_FEW))).toEqual(['index_misses_rows', 0.9])
  expect(reasonOf(1_001, at(1000, 9, TOO_FEW))).toEqual(['exact_is_too_slow', 0.9])
})

it('DS-15 nothing is chosen without a measurement', () => {
  expect(chooseSearch(50, [])).toBeUndefined()
})
