import { expect, it } from 'vitest'
import { tryParseObject } from './json.ts'

it('MA-19 an object is read to 100 levels, and a deeper one is no object', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const read = [100, 101, 20_000].map((levels) => tryParseObject(nested(levels)) !== undefined)
  expect(read).toEqual([true, false, false])
})
