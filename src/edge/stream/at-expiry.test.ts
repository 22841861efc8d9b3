import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#lib/time/clock.ts'
import { atExpiry } from './at-expiry.ts'

const DAY_MS = 24 * 3_600_000

describe('NO-16 credentials that expire', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: new Date('2026-06-01T12:00:00.000Z') })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    ['in ten minutes', '2026-06-01T12:10:00.000Z', 10 * 60_000],
    ['in a time that is too long for one timer', '2026-07-31T12:00:00.000Z', 60 * DAY_MS],
    ['at once if they have expired', '2026-06-01T11:00:00.000Z', 1],
  ])('end what they opened %s, once', (_, expiresAt, afterMs) => {
    let calls = 0
    atExpiry(expiresAt, systemClock, () => {
      calls += 1
    })
    vi.advanceTimersByTime(afterMs - 1)
    expect(calls).toBe(0)
    vi.advanceTimersByTime(1)
    expect(calls).toBe(1)
    vi.advanceTimersByTime(60 * DAY_MS)
    expect(calls).toBe(1)
  })

  it('wait for the clock if the timer is early', () => {
    let calls = 0
    let now = Date.parse('2026-06-01T12:00:00.000Z')
    atExpiry('2026-06-01T12:00:01.000Z', { now: () => new Date(now) }, () => {
      calls += 1
    })
    vi.advanceTimersByTime(1_000)
    expect(calls).toBe(0)
    now += 1_000
    vi.advanceTimersByTime(1_000)
    expect(calls).toBe(1)
  })

  it('end nothing that ended before, nor without an expiry', () => {
    let calls = 0
    const act = () => {
      calls += 1
    }
    atExpiry('2026-06-01T12:10:00.000Z', systemClock, act)()
    atExpiry(null, systemClock, act)
    vi.advanceTimersByTime(DAY_MS)
    expect(calls).toBe(0)
  })
})
