import { expect, it } from 'vitest'
import { searchesOn } from './check-table.ts'

it.each([
  ['0.5.1', false],
  ['0.7.4', false],
  ['0.8.0', true],
  ['0.10.0', true],
  ['1.0', true],
])('DS-15 with the vector extension %s an index that goes on until there are enough hits: %s', (version, goesOn) => {
  expect(searchesOn({ version })).toBe(goesOn)
})
