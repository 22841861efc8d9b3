import { expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { createAttemptKeys } from './attempt-keys.ts'

it('CO-10 a repetition of a failed attempt has the key of the first', () => {
  const keys = createAttemptKeys()
  const first = keys.keyFor({ body: 'Mended.' })
  keys.onError(new ServiceError('UNAVAILABLE', 'Cannot reach the service.'))
  expect(keys.keyFor({ body: 'Mended.' })).toBe(first)
})

it('CO-10 another input, and the same input after a success, have keys of their own', () => {
  const keys = createAttemptKeys()
  const first = keys.keyFor({ body: 'Mended.' })
  const other = keys.keyFor({ body: 'Mended now.' })
  keys.onSuccess()
  const again = keys.keyFor({ body: 'Mended now.' })
  expect(new Set([first, other, again]).size).toBe(3)
})

it('CO-10 a key whose outcome nobody knows is not used again', () => {
  const keys = createAttemptKeys()
  const first = keys.keyFor({})
  keys.onError(new ServiceError('OUTCOME_UNKNOWN', 'The first request did not finish.'))
  expect(keys.keyFor({})).not.toBe(first)
})
