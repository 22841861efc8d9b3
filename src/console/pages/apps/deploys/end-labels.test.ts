import { expect, it } from 'vitest'
import { endLabels } from './end-labels.ts'

// Times without a zone are those of the reader.
it.each([
  ['2026-01-01T09:00:00', '2026-01-11T09:00:00', ['Jan 1', 'Jan 11']],
  ['2026-01-11T09:05:00', '2026-01-11T17:40:00', ['Jan 11, 09:05', '17:40']],
  ['2026-01-11T09:05:00', '2026-01-11T09:05:59', ['Jan 11, 09:05']],
])('CO-03 a timeline from %s to %s is labelled %j', (first, last, labels) => {
  expect(endLabels(first, last)).toEqual(labels)
})
