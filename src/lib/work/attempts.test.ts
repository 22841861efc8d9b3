import { expect, it } from 'vitest'
import { DatabaseUnavailable } from '../db/errors.ts'
import { createAttempts } from './attempts.ts'

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000)

it('NO-01 an item that fails is reported once, and tried again after 1, 2, 4 and at most 60 minutes', async () => {
  const reported: unknown[] = []
  const attempt = createAttempts('sending', (error) => reported.push(error))
  const triedAt: number[] = []
  for (let minute = 0; minute <= 250; minute++) {
    await attempt('evt_1', at(minute), async () => {
      triedAt.push(minute)
      throw new Error('no')
    })
  }
  expect(triedAt).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
  expect(reported).toEqual([new Error('sending evt_1 failed and is tried again')])
  expect((reported[0] as Error).cause).toEqual(new Error('no'))
})

it('NO-01 the others go on meanwhile, and one that succeeded begins anew', async () => {
  const reported: string[] = []
  const attempt = createAttempts('sending', (error) => reported.push((error as Error).message))
  const done: string[] = []
  const outcomes = { first: ['fails', 'works', 'fails'], second: ['works', 'works', 'works'] }
  for (const [turn, minute] of [0, 1, 2].entries()) {
    for (const id of ['first', 'second'] as const) {
      await attempt(id, at(minute), async () => {
        if (outcomes[id][turn] === 'fails') throw new Error('no')
        done.push(`${id} ${turn}`)
      })
    }
  }
  expect(done).toEqual(['second 0', 'first 1', 'second 1', 'second 2'])
  expect(reported).toEqual(Array.from({ length: 2 }, () => 'sending first failed and is tried again'))
})

it('NO-01 a database that does not answer ends the turn, because it concerns every item', async () => {
  const attempt = createAttempts('sending', (error) => expect.fail(String(error)))
  const gone = new DatabaseUnavailable('gone', { cause: undefined })
  await expect(attempt('evt_1', at(0), () => Promise.reject(gone))).rejects.toBe(gone)
  const done: number[] = []
  await attempt('evt_1', at(0), async () => void done.push(1))
  expect(done).toEqual([1])
})
