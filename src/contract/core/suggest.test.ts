import { expect, test } from 'vitest'
import { suggest } from './suggest.ts'

test.each([
  ['datasorce', ['datasource', 'db'], 'datasource'],
  ['wiki', ['db_wiki', 'db_handbook'], 'db_wiki'],
  ['db_wiki', ['wiki', 'handbook'], 'wiki'],
  ['Front', ['Front page', 'Search'], 'Front page'],
  ['wiki', ['db_wiki', 'wiki-old'], undefined],
  ['db', ['db_wiki'], undefined],
  ['payroll', ['db_wiki'], undefined],
])('CL-03 %s among %j means %s', (word, names, near) => {
  expect(suggest(word, names)).toBe(near)
})
