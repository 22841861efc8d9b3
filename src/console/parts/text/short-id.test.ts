import { expect, it } from 'vitest'
import { shortId } from './short-id.ts'

it.each([
  ['dep_01m7hg6hj4eg8bayr89r7rgtzc', 'dep_…9r7rgtzc'],
  ['dep_1', 'dep_1'],
  ['', ''],
])('CO-03 the id %s is shown as %s in lists', (id, shown) => {
  expect(shortId(id)).toBe(shown)
})
