import { expect, it } from 'vitest'
import { dueSlot, overdueSince } from './overdue.ts'

const NIGHTLY = { cron: '15 3 * * *', timezone: 'UTC' }
const NONE = { good_at: null, last_slot_at: null, last_fault: null, first_slot_at: null }
const at = (text: string) => new Date(`2026-03-${text}:00Z`)

it.each([
  ['the first backup is made at once', null, '10T12:00', '10T03:15'],
  ['none before the next slot', '10T03:15', '11T03:14', undefined],
  ['one at the slot', '10T03:15', '11T03:15', '11T03:15'],
  ['one late after days off, and not one for each', '10T03:15', '14T20:00', '14T03:15'],
])('OP-05 %s', (_, last, now, expected) => {
  const state = { ...NONE, last_slot_at: last === null ? null : at(last) }
  expect(dueSlot(state, NIGHTLY, at(now))).toEqual(expected === undefined ? undefined : at(expected))
})

it.each([
  ['nothing is missing before the first slot', {}, '10T12:00', undefined],
  ['a night that failed is no alarm yet', { good_at: at('10T03:20') }, '11T12:00', undefined],
  ['two are', { good_at: at('10T03:20') }, '12T04:16', '12T03:15'],
  ['an hour to make it is given', { good_at: at('10T03:20') }, '12T04:14', undefined],
  ['a first one that failed is one after the next slot', { first_slot_at: at('10T03:15') }, '11T04:16', '11T03:15'],
])('OP-05 %s', (_, state, now, expected) => {
  const found = overdueSince({ ...NONE, ...state }, NIGHTLY, at(now))
  expect(found).toEqual(expected === undefined ? undefined : at(expected))
})
