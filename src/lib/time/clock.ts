/** The source of the current time, passed as a dependency so that tests can set it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export type TestClock = Clock & { set(now: Date): void; advance(ms: number): void }

/** Returns a clock that stands still until a test sets or advances it. */
export function testClock(start = new Date('2026-01-01T00:00:00.000Z')): TestClock {
  let now = start.getTime()
  return {
    now: () => new Date(now),
    set: (to) => {
      now = to.getTime()
    },
    advance: (ms) => {
      now += ms
    },
  }
}
