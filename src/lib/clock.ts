/** Time as a dependency: tests hand in a clock they move. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export type TestClock = Clock & { set(now: Date): void; advance(ms: number): void }

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
