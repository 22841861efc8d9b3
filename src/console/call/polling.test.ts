import { expect, it } from 'vitest'
import { type Poll, pollMs } from './polling.ts'

const whileRunning = (run: { isEnded: boolean } | undefined): Poll => run && !run.isEnded && 'moving'

it('CO-03 a page that waits for an end reads again until the answer says that it has come', () => {
  expect(pollMs(whileRunning, { isEnded: false })).toBe(2_000)
  expect(pollMs(whileRunning, { isEnded: true })).toBe(false)
  expect(pollMs(whileRunning, undefined)).toBe(false)
})

it('CO-03 a page without a named interval is read once', () => {
  expect([pollMs(undefined, {}), pollMs(false, {}), pollMs('background', {})]).toEqual([false, false, 30_000])
})
