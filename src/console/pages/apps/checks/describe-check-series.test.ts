import { expect, it } from 'vitest'
import { checkParts, passedText, stateNotes } from './describe-check-series.ts'

const NONE = { runs: 0, passed: 0, failed: 0, errors: 0, indeterminate: 0, p50_ms: null, p95_ms: null }
const BUCKETS = [
  { ...NONE, at: '2026-03-01T00:00:00.000Z', state: null },
  { ...NONE, at: '2026-03-01T06:00:00.000Z', state: 'mixed' as const, runs: 31, passed: 30, failed: 1 },
  { ...NONE, at: '2026-03-01T12:00:00.000Z', state: 'fail' as const, runs: 2, failed: 2 },
]

it('CO-16 the runs of a check are summed up', () => {
  expect(passedText(BUCKETS)).toBe('30 of 33 runs passed')
})

it('CO-16 one failed run of 31 is shown as its share, and its part of the time as mixed', () => {
  expect(checkParts(BUCKETS).map(({ label, values }) => [label, ...values])).toEqual([
    ['Failed', 0, 1, 2],
    ['Passed', 0, 30, 0],
  ])
  expect(stateNotes(BUCKETS).values).toEqual(['No runs', 'Mixed: 30 of 31 passed', 'Failed: 0 of 2 passed'])
})
