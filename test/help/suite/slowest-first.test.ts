import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SLOWEST_TESTS, slowestFirst } from './slowest-first.ts'

it.each(SLOWEST_TESTS)('%s is there', (path) => {
  expect(existsSync(path)).toBe(true)
})

it('the slowest files run first, in the order of the list, and all others stay in theirs', () => {
  const [slowest, second] = SLOWEST_TESTS as [string, string]
  expect(slowestFirst(['b.test.ts', second, 'a.test.ts', slowest], (path) => path)).toEqual([
    slowest,
    second,
    'b.test.ts',
    'a.test.ts',
  ])
})
