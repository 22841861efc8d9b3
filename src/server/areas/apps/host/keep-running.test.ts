import { expect, it } from 'vitest'
import type { Instance, InstanceEnd } from '../deploys/target.ts'
import { keepRunning } from './keep-running.ts'

const CRASH: InstanceEnd = { description: 'exit code 1' }
const LOST: InstanceEnd = { description: 'the process that keeps apps ended', isOurs: true }

/** Runs an app whose instances end at once in these ways, and returns how long each new start waited. */
async function waitsAfter(ends: readonly InstanceEnd[]): Promise<number[]> {
  const waits: number[] = []
  const over = Promise.withResolvers<void>()
  let started = 0
  const running = keepRunning(undefined, {
    time: {
      now: () => new Date(0),
      delay: async (ms) => {
        waits.push(ms)
        if (waits.length === ends.length) over.resolve()
      },
    },
    start: async () => instanceThatEnds(ends[started++]),
    untilReady: async () => {},
    onChange: () => {},
    onEnd: () => {},
  })
  await over.promise
  await running.stop(0)
  return waits
}

/** The instance after the last end runs until it is stopped. */
function instanceThatEnds(end: InstanceEnd | undefined): Instance {
  const ended = Promise.withResolvers<InstanceEnd>()
  if (end) ended.resolve(end)
  const stop = async () => ended.resolve({ description: 'stopped' })
  return {
    address: { socket: '/nowhere' },
    fetch: async () => new Response('well'),
    ended: ended.promise,
    stop,
    leave: stop,
  }
}

it('AP-01 an app that ends again and again waits longer each time', async () => {
  expect(await waitsAfter([CRASH, CRASH, CRASH, CRASH])).toEqual([1_000, 2_000, 4_000, 8_000])
})

it('OP-07 an app that svc itself ended is started again after a second, however often', async () => {
  expect(await waitsAfter([LOST, LOST, LOST, LOST, LOST])).toEqual([1_000, 1_000, 1_000, 1_000, 1_000])
  expect(await waitsAfter([CRASH, LOST, CRASH])).toEqual([1_000, 1_000, 2_000])
})
