import { expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { whileUnavailable } from './while-unavailable.ts'

const unavailable = (retryAfterSeconds?: number) =>
  new ServiceError('UNAVAILABLE', 'not yet', retryAfterSeconds === undefined ? {} : { retryAfterSeconds })

/** Fails with the errors one after the other, and then answers. Returns what came of it and the waits. */
async function callWith(errors: readonly ServiceError[]) {
  const left = [...errors]
  const waits: number[] = []
  const call = async () => {
    const error = left.shift()
    if (error) throw error
    return 'answer'
  }
  const outcome = await whileUnavailable(call, async (ms) => waits.push(ms)).catch(({ code }: ServiceError) => code)
  return { outcome, waits }
}

it.each([
  ['at once', [], 'answer', []],
  ['after the waits that the server asks for', [unavailable(5), unavailable(2)], 'answer', [5000, 2000]],
  [
    'no longer than half a minute',
    Array.from({ length: 9 }, () => unavailable(10)),
    'UNAVAILABLE',
    [10_000, 10_000, 10_000],
  ],
  ['not without a time', [unavailable()], 'UNAVAILABLE', []],
  ['not if it takes long', [unavailable(60)], 'UNAVAILABLE', []],
  ['not after another refusal', [new ServiceError('RATE_LIMITED', 'x', { retryAfterSeconds: 1 })], 'RATE_LIMITED', []],
] as const)('DS-22 a question right after the start is answered %s', async (_, errors, outcome, waits) => {
  expect(await callWith(errors)).toEqual({ outcome, waits })
})
