import { LOG_LEVELS, type LogRecord } from '#contract/apps/logs.ts'

type Level = LogRecord['level']

/** Returns the number of a level in the table, where a more severe one is higher. Stored, so the order of levels stays. */
export function levelNumber(level: Level): number {
  return LOG_LEVELS.indexOf(level) + 1
}

export function levelName(number: number): Level {
  return LOG_LEVELS[number - 1] ?? 'info'
}

/** Severity numbers of OpenTelemetry: 1 to 8 trace and debug, 9 to 12 info, 13 to 16 warn, 17 to 24 error and fatal. */
export function levelOfOtlp(severity: number): Level {
  if (severity >= 17) return 'error'
  if (severity >= 13) return 'warn'
  return severity >= 9 || severity === 0 ? 'info' : 'debug'
}
