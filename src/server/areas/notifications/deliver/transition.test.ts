import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DESTINATION_KINDS, type DestinationKind } from '#contract/notifications/channels.ts'
import type { Outcome } from '../model/outcome.ts'
import { retryAfterSeconds, retryDelaySeconds } from '../model/schedule.ts'
import { pauseSeconds } from './breaker.ts'
import { nextState } from './transition.ts'

const MIDDLE = 0.5

describe('NO-07 the next state of a delivery', () => {
  it.each<[string, Outcome, object]>([
    ['sent', { type: 'sent' }, { state: 'sent', reason: null, destination: 'answers', pauseSeconds: 0 }],
    [
      'not delivered, to be tried again',
      { type: 'retry', reason: 'refused' },
      { state: 'pending', reason: 'refused', delaySeconds: 5, destination: 'fails', pauseSeconds: 0 },
    ],
    [
      'not delivered, with a wish of the receiver',
      { type: 'retry', reason: 'http_429', retryAfterSeconds: 90 },
      { state: 'pending', reason: 'http_429', delaySeconds: 90, destination: 'fails', pauseSeconds: 90 },
    ],
    [
      'not delivered by a fault of ours, which does not count against the destination',
      { type: 'retry', reason: 'internal', isOurFault: true },
      { state: 'pending', reason: 'internal', delaySeconds: 5, destination: 'unaffected', pauseSeconds: 0 },
    ],
    [
      'not delivered, with a wish that concerns this message only',
      { type: 'retry', reason: 'http_429', retryAfterSeconds: 90, isOurFault: true },
      { state: 'pending', reason: 'http_429', delaySeconds: 90, destination: 'unaffected', pauseSeconds: 0 },
    ],
    [
      'impossible to send for a reason that lies in the message',
      { type: 'failed', reason: 'no_acting_user', isOurFault: true },
      { state: 'failed', reason: 'no_acting_user', destination: 'unaffected', pauseSeconds: 0 },
    ],
    [
      'refused for good',
      { type: 'failed', reason: 'http_400' },
      { state: 'failed', reason: 'http_400', destination: 'answers', pauseSeconds: 0 },
    ],
    [
      'gone',
      { type: 'gone', reason: 'http_410' },
      { state: 'failed', reason: 'http_410', destination: 'gone', pauseSeconds: 0 },
    ],
    [
      'nobody knows',
      { type: 'unknown', reason: 'no_answer' },
      { state: 'unknown', reason: 'no_answer', destination: 'fails', pauseSeconds: 0 },
    ],
    [
      'not attempted',
      { type: 'dropped', reason: 'unsubscribed' },
      { state: 'dropped', reason: 'unsubscribed', destination: 'unaffected', pauseSeconds: 0 },
    ],
  ])('%s', (_, outcome, next) => {
    expect(nextState(outcome, { kind: 'webhook', attempt: 1, random: MIDDLE })).toEqual(next)
  })

  it.each<[DestinationKind, number[]]>([
    ['webhook', [5, 60, 300, 1800, 7200, 21600]],
    ['email', [5, 60, 300, 1800, 7200, 21600]],
    ['forum', [5, 60, 300, 1800, 7200, 21600]],
    ['chat', [5, 60, 300, 1800]],
    ['chat_dm', [5, 60, 300, 1800]],
  ])('%s waits %j seconds between its attempts and then fails', (kind, delays) => {
    const outcome = { type: 'retry', reason: 'http_503' } as const
    const states = [...delays, 'last'].map((_, i) => nextState(outcome, { kind, attempt: i + 1, random: MIDDLE }))
    expect(states.slice(0, -1).map((next) => next.delaySeconds)).toEqual(delays)
    expect(states.at(-1)).toEqual({ state: 'failed', reason: 'http_503', destination: 'fails', pauseSeconds: 0 })
  })

  it('the wait differs by at most a fifth', () => {
    expect(retryDelaySeconds('webhook', 2, 0)).toBe(48)
    expect(retryDelaySeconds('webhook', 2, 1)).toBe(72)
  })

  const outcomes = fc.oneof(
    fc.constant<Outcome>({ type: 'sent' }),
    fc.record({ type: fc.constantFrom('failed', 'gone', 'unknown', 'dropped'), reason: fc.string() }),
    fc.record({ type: fc.constant('retry'), reason: fc.string(), retryAfterSeconds: fc.nat() }),
  ) as fc.Arbitrary<Outcome>

  it('a delivery is tried again only after proof that it was not delivered, and never for ever', () => {
    const attempts = fc.record({
      kind: fc.constantFrom(...DESTINATION_KINDS),
      attempt: fc.integer({ min: 1, max: 20 }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(outcomes, attempts, (outcome, attempted) => {
        const next = nextState(outcome, attempted)
        if (next.state === 'pending') expect(outcome.type).toBe('retry')
        if (attempted.attempt >= 7) expect(next.state).not.toBe('pending')
        expect(next.state === 'pending').toBe(next.delaySeconds !== undefined)
      }),
      { seed: 13, numRuns: 500 },
    )
  })
})

it.each([
  [undefined, undefined],
  ['7', 7],
  [' 7 ', 7],
  ['-1', undefined],
  ['soon', undefined],
  ['Sun, 15 Nov 2026 12:00:30 GMT', 30],
  ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
  ['99999999', 86400],
  ['9'.repeat(400), 86400],
])('NO-07 Retry-After %j means a wait of %j seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, new Date('2026-11-15T12:00:00Z'))).toBe(seconds)
})

it.each([
  [0, 0],
  [4, 0],
  [5, 30],
  [6, 60],
  [9, 480],
  [10, 900],
  [60, 900],
])('NO-07 after %i failures in a row a destination is left alone for %i seconds', (failures, seconds) => {
  expect(pauseSeconds(failures)).toBe(seconds)
})

const check = <T>(of: fc.Arbitrary<T>, property: (value: T) => void) =>
  fc.assert(
    fc.property(of, (value) => {
      property(value)
    }),
    { seed: 15, numRuns: 500 },
  )

describe('NO-07 the schedule of retries', () => {
  it('waits longer after each attempt, whatever chance adds, and ends', () => {
    const chance = fc.double({ min: 0, max: 1, noNaN: true })
    const kinds = fc.constantFrom(...DESTINATION_KINDS)
    check(fc.tuple(kinds, fc.integer({ min: 1, max: 20 }), chance, chance), ([kind, attempt, one, other]) => {
      const wait = retryDelaySeconds(kind, attempt, one)
      const next = retryDelaySeconds(kind, attempt + 1, other)
      if (wait === undefined) expect(next).toBeUndefined()
      else if (next !== undefined) expect(next).toBeGreaterThan(wait)
      expect(wait === undefined).toBe(attempt > (kind.startsWith('chat') ? 4 : 6))
    })
  })

  const NOW = new Date('2026-11-15T12:00:00Z')

  it('reads any text as Retry-After without failing: whole seconds of at most a day, or nothing', () => {
    const digits = fc.stringMatching(/^[0-9]{1,400}$/)
    check(
      fc.oneof(
        fc.string(),
        digits,
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      (header) => {
        const seconds = retryAfterSeconds(header, NOW)
        if (seconds === undefined) {
          expect(header.trim()).not.toMatch(/^\d+$/)
          return
        }
        expect(Number.isInteger(seconds)).toBe(true)
        expect(seconds).toBeGreaterThanOrEqual(0)
        expect(seconds).toBeLessThanOrEqual(86_400)
      },
    )
  })

  it('understands a wish the same way as seconds and as a date', () => {
    check(fc.integer({ min: 0, max: 200_000 }), (seconds) => {
      const expected = Math.min(seconds, 86_400)
      expect(retryAfterSeconds(String(seconds), NOW)).toBe(expected)
      expect(retryAfterSeconds(new Date(NOW.getTime() + seconds * 1000).toUTCString(), NOW)).toBe(expected)
    })
  })

  it('pauses a destination never shorter after one more failure, and never for more than a quarter of an hour', () => {
    check(fc.nat({ max: 5_000 }), (failures) => {
      expect(pauseSeconds(failures + 1)).toBeGreaterThanOrEqual(pauseSeconds(failures))
      expect(pauseSeconds(failures)).toBeLessThanOrEqual(900)
    })
  })
})
