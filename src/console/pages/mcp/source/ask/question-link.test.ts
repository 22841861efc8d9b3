import { expect, it } from 'vitest'
import { EMPTY_DRAFT, linkOf, readLink } from './question-link.ts'

const SOURCE = { filters: { category: 'string', year: 'number' }, labels: ['articles', 'pages'] } as const
const PAGE = 'https://svc.example.com/mcp/sources/db_docs'

it.each([
  { ...EMPTY_DRAFT, query: 'who books cars?' },
  { query: 'a & b # c = ü\n+', typed: { category: ['a b', 'c&d'], year: ['2024'] }, topK: '3', target: 'pages' },
  { ...EMPTY_DRAFT },
])('CO-13 a link to the question %j fills the box with it', (draft) => {
  const [page, fragment] = linkOf(PAGE, draft).split('#')
  expect(page).toBe(PAGE)
  expect(readLink(`#${fragment}`, SOURCE)).toEqual(draft)
  // The router decodes the part once.
  expect(readLink(decodeURI(fragment!), SOURCE)).toEqual(draft)
})

it('CO-13 a link has no empty filter', () => {
  expect(linkOf(PAGE, { ...EMPTY_DRAFT, query: 'x', typed: { category: ['', 'a'], year: [''] } })).toBe(
    `${PAGE}#question=x&filter.category=a`,
  )
})

it.each([
  ['', undefined],
  ['#sign-in=abc', undefined],
  [`#question=${'x'.repeat(8_001)}`, undefined],
  [`#question=x&more=${'x'.repeat(32_000)}`, undefined],
  ['#question=x&filter.secret=1&filter.constructor=2&filter.__proto__=3', { ...EMPTY_DRAFT, query: 'x' }],
  ['#question=x&hits=21&target=other', { ...EMPTY_DRAFT, query: 'x' }],
  ['#question=x&hits=-1', { ...EMPTY_DRAFT, query: 'x' }],
  ['question=%25F0&filter.category=%25F0', { ...EMPTY_DRAFT, query: '' }],
])('CO-13 the part %s of an address is read as %j', (fragment, draft) => {
  expect(readLink(fragment, SOURCE)).toEqual(draft)
})

it('CO-13 more values than a filter takes are left out', () => {
  const values = Array.from({ length: 101 }, (_, index) => `&filter.year=${index}`).join('')
  expect(readLink(`#question=x${values}`, SOURCE)?.typed.year).toHaveLength(100)
})

it('CO-13 a target is left out where the role does not read the entries', () => {
  expect(readLink('#question=x&target=pages', { ...SOURCE, labels: undefined })?.target).toBe('')
})
