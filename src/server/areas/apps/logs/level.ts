import { LOG_LEVELS, type LogRecord } from '#contract/apps/logs.ts'

type Level = LogRecord['level']

/** Returns the number of a level in the table, where a more severe one is higher. Stored, so the order of levels stays. */
export function levelNumber(level: Level): number {
  return LOG_LEVELS.indexOf(level) + 1
}

export function levelName(number: number): Level {
  return LOG_LEVELS[number - 1] ?? 'info'
}

const WORDS: Record<string, Level> = {
  trace: 'debug',
  debug: 'debug',
  verbose: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  err: 'error',
  fatal: 'error',
  critical: 'error',
  panic: 'error',
}

const MAX_HEAD = 200
/**
 * Signs, a time, signs and a word. Each part before the word is matched as a whole (by a lookahead and a reference to it),
 * because matching it again with fewer characters takes quadratic time on a line of dashes.
 */
const FIRST_WORD = /^(?=(\W*))\1(?=((?:\d(?:[\d:.,+\s-]|(?<=\d)[TZ])*)?))\2(?=(\W*))\3([A-Za-z]{3,8})\b/

/** Reads the level that a logger wrote: a field of JSON or logfmt, or a word at the beginning of the line. */
export function levelIn(line: string): Level | undefined {
  if (line.startsWith('{')) return levelInJson(line)
  // Loggers write the level here.
  const head = line.slice(0, MAX_HEAD)
  const field = /(?:^|\s)(?:level|severity|lvl)="?([A-Za-z]{3,8})\b/.exec(head)?.[1]
  if (field !== undefined) return levelOfWord(field)
  const word = FIRST_WORD.exec(head)?.[4]
  return word !== undefined && (word === word.toUpperCase() || /^\W/.test(head)) ? levelOfWord(word) : undefined
}

/** Reads `level` (or `severity`) as a word, or as a number of pino and bunyan. */
function levelInJson(line: string): Level | undefined {
  const found = /"(?:level|severity|lvl)"\s*:\s*(?:"(\w{1,10})"|(\d{2}))/.exec(line)
  if (!found) return undefined
  return found[1] === undefined ? levelOfPino(Number(found[2])) : levelOfWord(found[1])
}

export function levelOfWord(word: string): Level | undefined {
  const key = word.toLowerCase()
  return Object.hasOwn(WORDS, key) ? WORDS[key] : undefined
}

function levelOfPino(number: number): Level {
  if (number >= 50) return 'error'
  if (number >= 40) return 'warn'
  return number >= 30 ? 'info' : 'debug'
}

/** Severity numbers of OpenTelemetry: 1 to 8 trace and debug, 9 to 12 info, 13 to 16 warn, 17 to 24 error and fatal. */
export function levelOfOtlp(severity: number): Level {
  if (severity >= 17) return 'error'
  if (severity >= 13) return 'warn'
  return severity >= 9 || severity === 0 ? 'info' : 'debug'
}
