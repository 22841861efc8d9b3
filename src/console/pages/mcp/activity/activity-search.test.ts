import { expect, it } from 'vitest'
import { toInput } from './activity-search.ts'
import { readActivitySearch } from './read-activity-search.ts'

const NOW = new Date('2026-11-16T10:00:00Z')

it.each([
  [{}, { type: 'functions' }],
  [
    { type: 'data_sources', target: 'db_docs', source: 'mcp', person: 'usr_1', status: 'failed' },
    { type: 'data_sources', source_id: 'db_docs', source: 'mcp', user_id: 'usr_1', outcome: 'failed' },
  ],
  [{ period: 'day' }, { type: 'functions', from: '2026-11-15T10:00:00.000Z' }],
  [{ period: 'week' }, { type: 'functions', from: '2026-11-09T10:00:00.000Z' }],
  [{ period: 'days' }, { type: 'functions' }],
  [{ from: '2026-11-01' }, { type: 'functions' }],
] as const)('CO-02 the address %j of Activity asks for %j', (search, input) => {
  expect(toInput(search, NOW)).toEqual(input)
})

it('CO-02 chosen days are whole days of the reader, the last one included', () => {
  const input = toInput({ period: 'days', from: '2026-03-01', to: '2026-03-31' }, NOW)
  expect(input).toEqual({
    type: 'functions',
    from: new Date(2026, 2, 1).toISOString(),
    to: new Date(2026, 3, 1).toISOString(),
  })
})

it.each([{ type: 'other' }, { source: 7 }, { status: '' }, { from: '2026-13-40' }, { target: 'x'.repeat(300) }])(
  'CO-02 an address with %j, which Activity does not know, opens without it',
  (search) => {
    expect(readActivitySearch(search)).toEqual({})
  },
)
