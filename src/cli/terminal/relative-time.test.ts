import { expect, test } from 'vitest'
import { relativeTime } from './relative-time.ts'

const NOW = Date.parse('2026-11-16T12:00:00.000Z')

test.each([
  ['2026-11-16T12:00:00.000Z', 'just now'],
  ['2026-11-16T11:59:01.000Z', 'just now'],
  ['2026-11-16T11:59:00.000Z', '1m ago'],
  ['2026-11-16T10:01:00.000Z', '1h ago'],
  ['2026-11-15T12:00:00.000Z', '1d ago'],
  ['2026-09-18T12:00:00.000Z', '59d ago'],
  ['2026-09-16T12:00:00.000Z', '2026-09-16'],
  ['2026-11-16T12:00:30.000Z', 'in under 1m'],
  ['2026-11-16T15:30:00.000Z', 'in 3h'],
  ['2027-11-16T12:00:00.000Z', '2027-11-16'],
  ['not a time', 'not a time'],
])('CL-03 %s is %s', (iso, shown) => {
  expect(relativeTime(iso, NOW)).toBe(shown)
})
