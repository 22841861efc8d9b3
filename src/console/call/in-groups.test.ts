import { expect, it } from 'vitest'
import { inGroups } from './in-groups.ts'

it('CO-02 names are asked for in groups, each once', () => {
  expect(inGroups([])).toEqual([])
  expect(inGroups(['b', 'a', 'b'])).toEqual(['a,b'])
  const many = Array.from({ length: 101 }, (_, index) => `n${String(index).padStart(3, '0')}`)
  expect(inGroups(many).map((group) => group.split(',').length)).toEqual([100, 1])
})
