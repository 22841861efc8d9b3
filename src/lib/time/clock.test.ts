import { expect, it } from 'vitest'
import { systemClock, testClock } from './clock.ts'

it('the system clock returns the current time', () => {
  const before = Date.now()
  const now = systemClock.now().getTime()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
})

it('a test clock stands still until it is set or advanced', () => {
  const clock = testClock(new Date('2026-05-06T07:08:09.000Z'))
  const first = clock.now()
  expect(first).toEqual(new Date('2026-05-06T07:08:09.000Z'))
  clock.advance(1_500)
  expect(clock.now()).toEqual(new Date('2026-05-06T07:08:10.500Z'))
  clock.set(new Date('2025-01-01T00:00:00.000Z'))
  expect(clock.now()).toEqual(new Date('2025-01-01T00:00:00.000Z'))
  expect(first).toEqual(new Date('2026-05-06T07:08:09.000Z'))
  expect(testClock().now()).toEqual(new Date('2026-01-01T00:00:00.000Z'))
})

it('changing a date that a test clock returned does not change the clock', () => {
  const clock = testClock()
  clock.now().setFullYear(1999)
  expect(clock.now()).toEqual(new Date('2026-01-01T00:00:00.000Z'))
})
