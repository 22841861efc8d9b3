import { describe, expect, it } from 'vitest'
import type { DefinitionOf } from '#contract/checks/definition.ts'
import { judgeCount } from './log.ts'

const definition = (min_count: number | null, max_count: number | null): DefinitionOf<'log'> => ({
  kind: 'log',
  text: 'payment declined',
  level: null,
  window_minutes: 15,
  min_count,
  max_count,
})

describe('a log check', () => {
  it.each([
    // least, most, lines found, whether all were read
    [null, null, 0, true, 'pass counted'],
    [null, null, 1, true, 'fail too_many_lines'],
    [null, 5, 5, true, 'pass counted'],
    [null, 5, 6, true, 'fail too_many_lines'],
    [2, null, 1, true, 'fail too_few_lines'],
    [2, null, 2, true, 'pass counted'],
    [2, 4, 1, true, 'fail too_few_lines'],
    [2, 4, 3, true, 'pass counted'],
    [2, 4, 5, true, 'fail too_many_lines'],
    // Lines that were not read could change the verdict.
    [null, null, 0, false, 'indeterminate evidence_limit'],
    [null, 5, 5, false, 'indeterminate evidence_limit'],
    [2, null, 1, false, 'indeterminate evidence_limit'],
    [2, 4, 3, false, 'indeterminate evidence_limit'],
    // They could not.
    [null, 5, 6, false, 'fail too_many_lines'],
    [2, null, 2, false, 'pass counted'],
  ])('with at least %s and at most %s, %i lines, all read: %s, is %s', (least, most, count, isComplete, expected) => {
    const { verdict, code } = judgeCount(definition(least, most), { count, isComplete })
    expect(`${verdict} ${code}`).toBe(expected)
  })
})
