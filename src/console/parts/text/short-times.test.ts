import { expect, it } from 'vitest'
import { shortTimes } from './short-times.ts'

it('CO-03 times within a text are shown to the minute and are not broken', () => {
  expect(shortTimes('2026-11-17T13:05:09.123Z to 2026-11-18T13:05:09Z')).toBe(
    '2026-11-17\u00a013:05\u00a0UTC to 2026-11-18\u00a013:05\u00a0UTC',
  )
})
