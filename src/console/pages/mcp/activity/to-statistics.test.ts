import { expect, it } from 'vitest'
import { toStatistics } from './to-statistics.ts'

const NOW = new Date('2026-03-10T12:00:00.000Z')
const midnight = (day: string) => new Date(`${day}T00:00:00`).toISOString()

it.each([
  [{}, { type: 'functions', from: '2026-02-08T12:00:00.000Z', bucket: 'day' }, 'in the last 30 days'],
  [
    { type: 'data_sources', period: 'day', target: 'db_docs' },
    { type: 'data_sources', from: '2026-03-09T12:00:00.000Z', bucket: 'hour', target: 'db_docs' },
    'in the last 24 hours',
  ],
  [
    { period: 'days', from: '2026-03-01', to: '2026-03-02', status: 'failed' },
    { type: 'functions', from: midnight('2026-03-01'), to: midnight('2026-03-03'), bucket: 'day', outcome: 'failed' },
    'on these days',
  ],
  [
    { period: 'days', from: '2020-01-01' },
    { type: 'functions', from: '2025-12-08T12:00:00.000Z', to: NOW.toISOString(), bucket: 'day' },
    'in the last 92 of these days',
  ],
] as const)('CO-02 the view %j is counted within what the service allows', (search, input, timeText) => {
  expect(toStatistics(search, NOW)).toEqual({ input, timeText })
})

it('CO-02 days that end before they begin are not counted', () => {
  expect(toStatistics({ period: 'days', from: '2026-03-05', to: '2026-03-02' }, NOW)).toBeUndefined()
})
