import type { Deploy } from './deploys.ts'
import type { LogRecord } from './logs.ts'

type Failure = Pick<Deploy, 'failure_code' | 'failure_detail'>

/** Failures whose reason the app itself printed. The lines of a build are shown while it runs. */
const OF_THE_APP = new Set<Deploy['failure_code']>(['START_FAILED', 'HEALTH_FAILED', 'CRASH_LOOP'])

/** How many lines of a log are read to find the last ones of the app. */
export const READ_LINES = 50
export const MAX_LINES = 10
const MAX_LINE_LENGTH = 300

export function hasFailedInApp({ failure_code }: Pick<Failure, 'failure_code'>): boolean {
  return OF_THE_APP.has(failure_code)
}

/** Returns the line that svc writes to the log of a deploy that failed. */
export function failureLine({ failure_code, failure_detail }: Failure): string {
  return `Deploy failed (${failure_code}): ${failure_detail}`
}

/** Returns what the app itself printed, oldest first. `newest` are lines of its log, newest first. */
export function appLines(newest: readonly Pick<LogRecord, 'source' | 'text'>[]): string[] {
  const own = newest.filter(({ source }) => source === 'app')
  return own.toReversed().map(({ text }) => text)
}

export function cutLine(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line
}
