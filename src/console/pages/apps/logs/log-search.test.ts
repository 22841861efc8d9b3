import { expect, it } from 'vitest'
import { chooseTime, timeChoiceOf, timesOf } from './log-search.ts'
import { type LogSearch, readLogSearch } from './read-log-search.ts'

const NOW = new Date('2026-03-02T10:00:00.000Z')
const EXACT = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-01T01:00:00.000Z' }

it.each<[LogSearch, string, object]>([
  [{}, '24h', { since: '2026-03-01T10:00:00.000Z' }],
  [{ within: '1h' }, '1h', { since: '2026-03-02T09:00:00.000Z' }],
  [{ within: 'all' }, 'all', {}],
  [{ within: '1h', ...EXACT }, 'exact', EXACT],
  [{ until: EXACT.until }, 'exact', { until: EXACT.until }],
])('CO-03 the filters %j search %s', (search, choice, times) => {
  expect(timeChoiceOf(search)).toBe(choice)
  expect(timesOf(search, NOW)).toEqual(times)
})

it('CO-03 filters of an address that cannot be read are left out', () => {
  expect(readLogSearch({ level: 'loud', within: '9y', since: 'yesterday', live: 'no', text: 'boom' })).toEqual({
    text: 'boom',
  })
})

it('CO-03 another window replaces the exact times and keeps the other filters', () => {
  expect(chooseTime({ ...EXACT, level: 'error' }, '7d', NOW)).toEqual({ level: 'error', within: '7d' })
  expect(chooseTime({ within: '1h', text: 'x' }, 'exact', NOW)).toEqual({
    text: 'x',
    since: '2026-03-02T09:00:00.000Z',
  })
})
