import { expect, it } from 'vitest'
import { pipelineParts, succeededText } from './describe-pipeline-series.ts'

const NONE = { runs: 0, succeeded: 0, failed: 0, not_run: 0, under_way: 0, p50_ms: null, p95_ms: null }
const BUCKETS = [
  { ...NONE, at: '2026-03-01T00:00:00.000Z', runs: 2, succeeded: 1, not_run: 1 },
  { ...NONE, at: '2026-03-01T06:00:00.000Z' },
]

it('CO-17 the runs of a pipeline are summed up, and shown without results that no run had', () => {
  expect(succeededText(BUCKETS)).toBe('1 of 2 runs succeeded')
  expect(pipelineParts(BUCKETS).map(({ label, values }) => [label, ...values])).toEqual([
    ['Did not run', 1, 0],
    ['Succeeded', 1, 0],
  ])
  expect(pipelineParts(BUCKETS.slice(1)).map(({ label }) => label)).toEqual(['Succeeded'])
})
