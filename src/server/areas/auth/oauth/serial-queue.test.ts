import { expect, it } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

const LONG_MS = 60_000

it('AU-11 a serial queue runs one task at a time, in order of arrival, also after one that fails', async () => {
  const inQueue = createSerialQueue({ maxWaiting: 10, maxWaitMs: LONG_MS })
  const events: string[] = []
  const task = (name: string) => async () => {
    events.push(`${name} starts`)
    await Promise.resolve()
    events.push(`${name} ends`)
    if (name === 'b') throw new Error('b fails')
    return name
  }
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => inQueue(task(name))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(events).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
  expect(await inQueue(task('d'))).toBe('d')
})

it('AU-11 a serial queue refuses a task when too many wait, and one that waited too long', async () => {
  const inQueue = createSerialQueue({ maxWaiting: 1, maxWaitMs: 20 })
  const held = Promise.withResolvers<string>()
  const first = inQueue(() => held.promise)
  const second = inQueue(async () => 'second')
  await expect(inQueue(async () => 'third')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 })
  await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  held.resolve('first')
  expect(await first).toBe('first')
  expect(await inQueue(async () => 'fourth')).toBe('fourth')
})
