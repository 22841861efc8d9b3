import type { LogRecord } from '#contract/apps/logs.ts'

/** One line of a file for each line of the log, oldest first. */
export function fileOf(lines: readonly LogRecord[]): string {
  return lines
    .toReversed()
    .map(({ at, level, source, text }) => `${at} ${level} ${source} ${text}\n`)
    .join('')
}
