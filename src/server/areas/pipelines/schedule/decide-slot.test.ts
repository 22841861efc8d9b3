import { expect, it } from 'vitest'
import { decideSlot } from './decide-slot.ts'

const at = (time: string) => new Date(`2026-06-02T${time}Z`)

// All slots are due at 03:00.
// biome-ignore format: the columns are the point
it.each([
  //                                                         now         served connected reconnects  decision        code
  ['a worker that serves it starts the run',                 '03:00:00', true,  true,     '01:00:00', 'run',          undefined],
  ['a worker that comes within the grace starts it',         '03:00:59', true,  true,     '01:00:00', 'run',          undefined],
  ['a short downtime does not lose the run',                 '03:05:00', true,  true,     '03:06:59', 'run',          undefined],
  ['a long downtime does',                                   '03:05:01', true,  true,     '03:07:01', 'missed',       'SERVICE_DOWN'],
  ['without a worker the slot waits',                        '03:00:59', false, false,    '01:00:00', 'wait',         undefined],
  ['and then nobody was there',                              '03:01:00', false, false,    '01:00:00', 'host_offline', 'NO_WORKER'],
  ['a worker without this pipeline may still be replaced',   '03:00:30', false, true,     '01:00:00', 'wait',         undefined],
  ['a worker without this pipeline is not an offline host',  '03:01:00', false, true,     '01:00:00', 'missed',       'NOT_SERVED'],
  ['after a restart, workers have time to connect again',    '09:01:59', false, false,    '09:02:00', 'wait',         undefined],
  ['after a restart, a worker that stays away was offline',  '09:02:00', false, false,    '09:02:00', 'host_offline', 'NO_WORKER'],
] as const)('NO-03 %s', (_, now, isServed, isConnected, reconnectUntil, decision, code) => {
  const decided = decideSlot({
    scheduledAt: at('03:00:00'),
    now: at(now),
    isServed,
    isConnected,
    reconnectUntil: at(reconnectUntil),
  })
  expect([decided.decision, 'code' in decided ? decided.code : undefined]).toEqual([decision, code])
})
