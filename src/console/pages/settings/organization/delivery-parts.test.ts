import { expect, it } from 'vitest'
import { deliveryParts } from './delivery-parts.ts'

const DAY = { delivered: 0, retried: 0, not_sent: 0, unknown: 0, waiting: 0, to_nobody: 0 }

it('CO-18 what was delivered is sent at once or retried, and outcomes that nothing had are left out', () => {
  const days = [
    { ...DAY, day: '2026-03-01', delivered: 5, retried: 2 },
    { ...DAY, day: '2026-03-02', not_sent: 3, to_nobody: 2 },
  ]
  expect(deliveryParts(days).map(({ label, values }) => [label, ...values])).toEqual([
    ['Not sent', 0, 1],
    ['Retried', 2, 0],
    ['Sent at once', 3, 0],
  ])
  expect(deliveryParts([{ ...DAY, day: '2026-03-01' }]).map(({ label }) => label)).toEqual(['Sent at once'])
})
