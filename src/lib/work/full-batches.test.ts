import { expect, it } from 'vitest'
import { repeatWhileFull } from './full-batches.ts'

const runWith = async (sizes: readonly number[], signal = new AbortController().signal) => {
  const left = [...sizes]
  await repeatWhileFull(signal, 3, async () => left.shift()!)
  return left
}

it.each([
  ['none', [0, 3], [3]],
  ['a part of a batch', [2, 3], [3]],
  ['full batches', [3, 3, 1, 3], [3]],
])('a step is repeated until it leaves nothing: %s', async (_, sizes, left) => {
  expect(await runWith(sizes)).toEqual(left)
})

it('no step runs after the work was stopped', async () => {
  expect(await runWith([3, 0], AbortSignal.abort())).toEqual([3, 0])
})

it('the step that runs when the work is stopped is the last one', async () => {
  const stopping = new AbortController()
  let steps = 0
  await repeatWhileFull(stopping.signal, 3, async () => {
    steps++
    stopping.abort()
    return 3
  })
  expect(steps).toBe(1)
})
