import { expect, it } from 'vitest'
import { summarizeHistory } from './summarize-history.ts'

it.each([
  [[], 'No runs in 30 days'],
  [[null, null], 'No runs in 30 days'],
  [[null, { runs: 3, passed: 2 }, { runs: 1, passed: 1 }], '3 of 4 runs passed in 30 days'],
])('CO-03 the history strip %j is said in words', (cells, text) => {
  expect(summarizeHistory(cells)).toBe(text)
})
