import { expect, it } from 'vitest'
import { levelIn } from './level.ts'

it.each([
  ['ERROR payment failed', 'error'],
  ['[warn] slow query', 'warn'],
  ['2026-11-16 02:06:01,123 INFO started', 'info'],
  ['{"level":"error","message":"x"}', 'error'],
  ['{"level":30,"msg":"x"}', 'info'],
  ['level=error msg="not sent"', 'error'],
  ['time=2026-11-16T02:06:01Z level="warn" msg=slow', 'warn'],
  ['the level=unknown to us', undefined],
  ['payment failed', undefined],
  ['', undefined],
])('MA-15 the level of %j is %s', (line, level) => {
  expect(levelIn(line)).toBe(level)
})

it('MA-15 lines of blanks or dashes cost no more than others: thousands of them are read', () => {
  const lines = Array.from({ length: 5_000 }, (_, n) => (n % 2 ? ' ' : '- ').repeat(16_000))
  expect(lines.filter((line) => levelIn(line) !== undefined)).toEqual([])
})
