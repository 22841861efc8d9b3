import { expect, it } from 'vitest'
import { isToldOfProposals } from './told-of-proposals.ts'

const subscribed = (event_type: string, enabled = true) => ({ subscriptions: [{ event_type, enabled }], follows: [] })
const following = (alias: string, category: 'maintenance' | 'tickets') => ({
  subscriptions: [],
  follows: [{ app: { alias }, categories: [category] }],
})

it.each([
  ['nothing', { subscriptions: [], follows: [] }, false],
  ['a subscription of the type', subscribed('application.maintenance.proposal.created'), true],
  ['a subscription of a prefix', subscribed('application.maintenance.*'), true],
  ['a subscription of another type', subscribed('deploy.failed'), false],
  ['a disabled subscription', subscribed('application.maintenance.*', false), false],
  ['following the app', following('shop', 'maintenance'), true],
  ['following the app for something else', following('shop', 'tickets'), false],
  ['following another app', following('cart', 'maintenance'), false],
])('MA-34 with %s an admin is told of proposals: %j', (_, sent, expected) => {
  expect(isToldOfProposals('shop', sent)).toBe(expected)
})
