import { expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { createFairQueue } from './fair-queue.ts'

/** A task that runs until it is told to end. */
function task(name: string, started: string[]) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const run = async () => {
    started.push(name)
    await ended
    return name
  }
  return { run, end }
}

const NEVER = new AbortController().signal

it('AU-15 one address runs at most its limit of reviews at once, in order of arrival, and other addresses do not wait', async () => {
  const enqueue = createFairQueue({ perKey: 2, total: 10, maxWaiting: 10 })
  const started: string[] = []
  const [a, b, c, d, other] = ['a', 'b', 'c', 'd', 'other'].map((name) => task(name, started))
  const running = [a!, b!, c!, d!].map(({ run }) => enqueue('203.0.113.1', NEVER, run))
  const elsewhere = enqueue('203.0.113.2', NEVER, other!.run)
  expect(started).toEqual(['a', 'b', 'other'])
  b!.end()
  await running[1]
  await until(() => started.length === 4)
  expect(started).toEqual(['a', 'b', 'other', 'c'])
  for (const one of [a, c, d, other]) one!.end()
  expect(await Promise.all([...running, elsewhere])).toEqual(['a', 'b', 'c', 'd', 'other'])
})

it('AU-15 a review that times out in the queue is UNAVAILABLE and takes no slot from those behind it', async () => {
  const enqueue = createFairQueue({ perKey: 1, total: 10, maxWaiting: 10 })
  const started: string[] = []
  const [first, second, third] = ['first', 'second', 'third'].map((name) => task(name, started))
  const givenUp = new AbortController()
  const running = enqueue('x', NEVER, first!.run)
  const waiting = enqueue('x', givenUp.signal, second!.run)
  const behind = enqueue('x', NEVER, third!.run)
  givenUp.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 })
  first!.end()
  third!.end()
  expect(await Promise.all([running, behind])).toEqual(['first', 'third'])
  expect(started).toEqual(['first', 'third'])
})

it('AU-15 a review that fails frees its slot', async () => {
  const enqueue = createFairQueue({ perKey: 1, total: 10, maxWaiting: 10 })
  const failing = enqueue('x', NEVER, () => Promise.reject(new Error('no')))
  const next = enqueue('x', NEVER, async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})

it('AU-15 all addresses together run at most the total limit of reviews, and a free slot goes to the addresses in rotation', async () => {
  const enqueue = createFairQueue({ perKey: 2, total: 2, maxWaiting: 10 })
  const started: string[] = []
  const [a, b, c, d, other] = ['a', 'b', 'c', 'd', 'other'].map((name) => task(name, started))
  const running = [a!, b!, c!, d!].map(({ run }) => enqueue('203.0.113.1', NEVER, run))
  const elsewhere = enqueue('203.0.113.2', NEVER, other!.run)
  expect(started).toEqual(['a', 'b'])
  a!.end()
  await until(() => started.length === 3)
  b!.end()
  await until(() => started.length === 4)
  expect(started).toEqual(['a', 'b', 'c', 'other'])
  for (const one of [c, d, other]) one!.end()
  expect(await Promise.all([...running, elsewhere])).toEqual(['a', 'b', 'c', 'd', 'other'])
})

it('AU-15 when too many reviews of an address wait, the next is UNAVAILABLE at once, and other addresses can still wait', async () => {
  const enqueue = createFairQueue({ perKey: 1, total: 1, maxWaiting: 1 })
  const first = task('first', [])
  const running = enqueue('x', NEVER, first.run)
  const waiting = enqueue('x', NEVER, async () => 'second')
  const elsewhere = enqueue('y', NEVER, async () => 'elsewhere')
  const refusal = { code: 'UNAVAILABLE', retryAfterSeconds: 1 }
  await expect(enqueue('x', NEVER, async () => 'third')).rejects.toMatchObject(refusal)
  first.end()
  expect(await Promise.all([running, waiting, elsewhere])).toEqual(['first', 'second', 'elsewhere'])
})
