import { expect, it } from 'vitest'
import { holdSlot } from './hold-slot.ts'

const at = (time: string) => new Date(`2026-06-02T${time}Z`)

// biome-ignore format: the columns are the point
it.each([
  //                                                          now         held        reconnects  waits until at most
  ['waits until workers had their time',                      '03:01:00', null,       '03:02:00', '03:02:00', '03:03:00'],
  ['waits two minutes at most',                               '03:01:00', null,       '09:00:00', '03:03:00', '03:03:00'],
  ['does not wait anew after a further restart',              '03:02:30', '03:03:00', '03:04:30', '03:03:00', '03:03:00'],
  ['waits no more when its time is over, after restarts too', '03:04:00', '03:03:00', '03:06:00', '03:03:00', '03:03:00'],
  ['waits once more if nobody could decide for ten minutes',  '03:13:00', '03:03:00', '03:14:00', '03:14:00', '03:15:00'],
] as const)('NO-19 a slot without a worker %s', (_, now, held, reconnects, until, end) => {
  const hold = { now: at(now), heldUntil: held === null ? null : at(held), reconnectUntil: at(reconnects) }
  expect(holdSlot(hold)).toEqual({ reconnectUntil: at(until), end: at(end) })
})
