import { expect, it } from 'vitest'
import { asPercent, vectorText } from './vector-text.ts'

it.each([
  [{ state: 'not_looked_at', looked_at: null, reason: null }, 'Not looked at yet: the first look is at night.'],
  [{ state: 'clean', looked_at: '2026-01-03T02:00:00.000Z', reason: null }, 'Clean as of 2026-01-03.'],
  [
    { state: 'clean', looked_at: '2026-01-03T02:00:00.000Z', reason: 'the last look failed' },
    'Clean as of 2026-01-03. Last time: the last look failed.',
  ],
  [
    { state: 'findings', looked_at: '2026-01-03T02:00:00.000Z', reason: null },
    'Faults were found, last looked at on 2026-01-03.',
  ],
  [{ state: 'not_possible', looked_at: null, reason: 'it is a view' }, 'Cannot be looked at: it is a view.'],
] as const)('DS-26 the page of a source says of %j: %s', (looked, text) => {
  expect(vectorText(looked)).toBe(text)
})

it('DS-26 the share of rows is shown with two digits', () => {
  expect([0.01, 0.000444, 1].map(asPercent)).toEqual(['1 %', '0.044 %', '100 %'])
})
