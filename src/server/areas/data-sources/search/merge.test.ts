import { describe, expect, it } from 'vitest'
import { mergeRows } from './merge.ts'
import { METRICS } from './metrics.ts'
import type { FoundRow } from './statements.ts'

describe('DS-14 one ranking', () => {
  const row = (c0: string, distance: number) => ({ c0, distance, types: '{25}' })
  const entry = (model: string, metric: 'cosine' | 'l2' = 'cosine') => ({ model, metric })
  const idsOf = (ranked: { row: FoundRow }[]) => ranked.map(({ row: { c0 } }) => c0)

  it('of one model and metric goes by score, ties by configured order, then as the database ordered them', () => {
    const found = [
      { entry: entry('m'), rows: [row('b', 0.1), row('d', 0.5)] },
      { entry: entry('m'), rows: [row('c', 0.05), row('9', 0.1), row('10', 0.1)] },
    ]
    expect(idsOf(mergeRows(found, 4))).toEqual(['c', 'b', '9', '10'])
  })

  it('of different ones goes by places, since their scores do not compare', () => {
    const found = [
      { entry: entry('m'), rows: [row('a', 0.9), row('b', 0.95)] },
      { entry: entry('n', 'l2'), rows: [row('c', 0.1), row('d', 0.2)] },
    ]
    expect(idsOf(mergeRows(found, 10))).toEqual(['a', 'c', 'b', 'd'])
  })

  it.each([
    ['cosine', 0.25, 0.75],
    ['inner_product', -3, 3],
    ['l2', 1, 0.5],
  ] as const)('%s: a distance of %d scores %d', (metric, distance, score) => {
    expect(METRICS[metric].scoreOf(distance)).toBe(score)
  })
})
