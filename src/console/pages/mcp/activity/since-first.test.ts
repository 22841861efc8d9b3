import { expect, it } from 'vitest'
import { sinceFirst } from './since-first.ts'

it.each([
  [[], []],
  [[0, 0], []],
  [[0, 0, 3], [3]],
  [
    [0, 2, 0, 1, 0],
    [2, 0, 1, 0],
  ],
])('CO-02 of days with %j calls the chart shows those from the first call on', (totals, shown) => {
  expect(sinceFirst(totals.map((total) => ({ total }))).map(({ total }) => total)).toEqual(shown)
})
