import { describe, expect, it } from 'vitest'
import { createRedactor } from '#lib/redact/redact.ts'
import { type ObserveDeps, observe } from './observe.ts'

const FAULT = { app_id: 'app_1', kind: 'error_in_logs', template: 'ERROR order <n> failed' }
const CHECK_FAULT = { app_id: 'app_1', kind: 'failing_check', template: 'check home page' }
const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 12, minute))
const WINDOW = { since: at(0), until: at(16) }

/** A log with a line for each of the minutes, of which one read returns the newest. */
function logOf(texts: readonly string[], linesPerRead: number) {
  const lines = texts.map((text, minute) => ({
    at: at(minute),
    level: text.startsWith('ERROR') ? 'error' : 'info',
    text,
  }))
  let reads = 0
  const deps: ObserveDeps = {
    logs: {
      read: async (_, { since, until }) => {
        reads += 1
        const found = lines.filter((line) => line.at >= since && line.at < until)
        return { lines: found.slice(-linesPerRead), isComplete: found.length <= linesPerRead }
      },
    },
    listCheckRuns: async () => undefined,
    redactorOf: async () => createRedactor({}),
  }
  return { deps, reads: () => reads }
}
const REQUESTS = Array.from({ length: 16 }, () => 'GET /pay 200 3ms')

describe('MA-17 a log that is longer than one read', () => {
  it('is read in parts until all of it is read', async () => {
    const { deps } = logOf(REQUESTS, 4)
    expect(await observe(deps, FAULT, WINDOW)).toEqual({ requests: 16, seenAt: null, isComplete: true })
  })

  it('shows the fault wherever it is', async () => {
    const { deps } = logOf(['ERROR order 7 failed', ...REQUESTS.slice(1)], 4)
    expect(await observe(deps, FAULT, WINDOW)).toMatchObject({ seenAt: at(0) })
  })

  it('is read so often at most, and is incomplete then', async () => {
    const { deps, reads } = logOf(
      Array.from({ length: 64 }, () => 'GET /pay 200 3ms'),
      1,
    )
    const observed = await observe(deps, FAULT, { since: at(0), until: at(64) })
    expect([observed.seenAt, observed.isComplete]).toEqual([null, false])
    expect(reads()).toBeLessThanOrEqual(16)
  })
})

describe('MA-17 the runs of a check', () => {
  const observeRuns = (verdicts: readonly ('pass' | 'fail' | 'error' | 'indeterminate')[]) => {
    const runs = verdicts.map((verdict, minute) => ({ at: at(15 - minute), verdict, code: null, detail: null }))
    const deps = { ...logOf([], 1).deps, listCheckRuns: async () => ({ state: 'pass', runs }) }
    return observe(deps, CHECK_FAULT, WINDOW)
  }

  it('count if they judged the app', async () => {
    const expected = { requests: 2, seenAt: null, isComplete: true }
    expect(await observeRuns(['pass', 'error', 'indeterminate', 'pass'])).toEqual(expected)
    expect(await observeRuns(['pass', 'fail', 'pass'])).toEqual({ requests: 3, seenAt: at(14), isComplete: true })
  })

  it('are incomplete if there are more than were read', async () => {
    const many = Array.from({ length: 500 }, () => ({ at: at(15), verdict: 'pass', code: null, detail: null }) as const)
    const deps = { ...logOf([], 1).deps, listCheckRuns: async () => ({ state: 'pass', runs: many }) }
    expect(await observe(deps, CHECK_FAULT, WINDOW)).toMatchObject({ isComplete: false })
  })
})
