import { describe, expect, it } from 'vitest'
import { afterInterruption, countProbe, isCrashLoop, isShortRun, restartDelayMs } from './rules.ts'

const MINUTE = 60_000
const live = new Date('2026-03-01T03:00:00.000Z')
const after = (minutes: number) => new Date(live.getTime() + minutes * MINUTE)

describe('MA-15 rules of deploys', () => {
  it.each([
    [1, false, 'queued'],
    [2, false, 'failed'],
    [1, true, 'superseded'],
    [2, true, 'superseded'],
  ] as const)('interrupted at attempt %i with a newer one waiting (%s): %s', (attempt, isNewerQueued, outcome) => {
    expect(afterInterruption(attempt, isNewerQueued)).toBe(outcome)
  })

  it.each([
    ['two ends', [1, 2], false],
    ['three ends within ten minutes', [1, 5, 10], true],
    ['the third end after ten minutes', [1, 5, 10.1], false],
    ['many ends later', [11, 12, 13, 14], false],
  ])('%s is a crash loop: %s → %s', (_, minutes, expected) => {
    expect(isCrashLoop(live, minutes.map(after))).toBe(expected)
  })

  it.each([
    [0, 0],
    [1, 1_000],
    [2, 2_000],
    [6, 32_000],
    [7, 60_000],
    [100, 60_000],
  ])('after %i short runs an app waits %i ms', (shortRuns, ms) => {
    expect(restartDelayMs(shortRuns)).toBe(ms)
  })

  it.each([
    [4.9, true],
    [5, false],
  ])('a run of %d minutes is short: %s', (minutes, expected) => {
    expect(isShortRun(live, after(minutes))).toBe(expected)
  })

  it('three healthy probes in a row are enough, and one bad probe starts again', () => {
    const inRow = [true, true, false, true, true, true].reduce(
      (counted, isHealthy) => countProbe(counted.healthyInRow, isHealthy),
      { healthyInRow: 0, isReady: false },
    )
    expect(inRow).toEqual({ healthyInRow: 3, isReady: true })
    expect(countProbe(1, true).isReady).toBe(false)
  })
})
