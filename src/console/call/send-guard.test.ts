import { expect, it } from 'vitest'
import { createSendGuard } from './send-guard.ts'

const first = { body: 'Mended.' }
const second = { body: 'Thank you.' }

it('CO-10 nothing is sent while a request has no answer', () => {
  const guard = createSendGuard()
  expect([guard.begin(first), guard.begin(first), guard.begin(second)]).toEqual([true, false, false])
})

it('CO-10 until an answered change has ended, only another one is sent', () => {
  const guard = createSendGuard()
  guard.begin(first)
  guard.answer()
  expect([guard.begin(first), guard.begin(second)]).toEqual([false, true])
  guard.end(first)
  expect(guard.begin(first)).toBe(false)
})

it('CO-10 after its end the same change can be sent again', () => {
  const guard = createSendGuard()
  guard.begin(first)
  guard.end(first)
  expect(guard.begin(first)).toBe(true)
})
