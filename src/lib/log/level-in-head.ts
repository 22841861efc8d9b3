import { levelOfWord, type StatedLevel } from './level-names.ts'

/** Names of .NET's console logger, and of loggers that begin a line with `error: `. */
const FIRST_NAMES: Record<string, StatedLevel> = {
  trce: 'debug',
  dbug: 'debug',
  debug: 'debug',
  verbose: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  fail: 'error',
  error: 'error',
  crit: 'error',
  fatal: 'error',
}
/** `E0131` before a time, as glog and klog write it. */
const GLOG = /^([IWEF])\d{4} \d{2}:\d{2}:/
const GLOG_LEVELS: Record<string, StatedLevel> = { I: 'info', W: 'warn', E: 'error', F: 'error' }
/** PHP's own messages, with or without a time before them. */
const PHP = /^(?:\[[^\]]{1,60}\] )?PHP (Fatal error|Parse error|Recoverable fatal error|Warning|Notice|Deprecated): /
const MAX_PARTS = 16

/**
 * Reads the level that stands among the time, numbers, names and fields before the message, such as in
 * `[2026-01-31 10:00:00] shop.ERROR: …`, `2026/01/31 10:00:00 [error] 7#7: …` or `[2026-01-31] [17] [CRITICAL] …`. The
 * message begins with the first word that is none of these, so a level in the message itself does not count.
 */
export function levelInHead(head: string): StatedLevel | undefined {
  const first = /^([a-z]{4,7}): /.exec(head)?.[1]
  if (first !== undefined) return Object.hasOwn(FIRST_NAMES, first) ? FIRST_NAMES[first] : undefined
  const glog = GLOG.exec(head)?.[1]
  if (glog !== undefined) return GLOG_LEVELS[glog]
  const php = PHP.exec(head)?.[1]
  if (php !== undefined) return php.endsWith('error') ? 'error' : 'warn'
  for (const part of head.split(/\s+/, MAX_PARTS)) {
    const level = levelOfPart(part)
    if (level) return level
    if (!isBeforeMessage(part)) return undefined
  }
  return undefined
}

/** `ERROR`, `[error]`, `shop.ERROR:`, `[php:error]`, `ERROR/MainProcess]`. Small letters count within brackets only. */
function levelOfPart(part: string): StatedLevel | undefined {
  const found = /^(\[?)(?:[\w-]{1,60}[.:])?([A-Za-z]{3,11})(?:\/[\w-]{1,60})?(\]?):?$/.exec(part)
  if (!found) return undefined
  const [, open, word = '', close] = found
  const isMarked = open !== '' || close !== ''
  return isMarked || word === word.toUpperCase() ? levelOfWord(word) : undefined
}

const DATE_WORD = /^\[?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|UTC|GMT|AM|PM),?$/
/** Numbers, times and dates with any signs around them: `[17]`, `7#7:`, `01-Jan-2026`, `10:00:00.123Z`, `#71]`. */
const NUMBERS = /^[[(#*<+-]*\d[\d:.,+TZ/#*-]*(?:(?:[A-Z][a-z]{2}|AM|PM)[\d:.,+TZ/#-]*)?[\])>:,]*$/
const FIELD = /^[\w.]{1,40}=\S{1,120}$/
/** `[main]`, `[web-1]`, and the first letter of Ruby's logger. */
const NAME_IN_BRACKETS = /^(?:\[[\w.:@/-]{1,80}\]:?|[A-Z],)$/
/** `shop.orders`, `worker-3` and `TID-ousw3y`: names of loggers and threads have a sign or a digit, words have not. */
const NAME = /^(?=[\w:.-]{0,80}[\d._:-])[A-Za-z][\w:.-]{1,80}(?<![.:,])$/
const SIGNS = /^[-–|:>*]{0,4}$/

function isBeforeMessage(part: string): boolean {
  return [SIGNS, NUMBERS, FIELD, NAME_IN_BRACKETS, NAME, DATE_WORD].some((form) => form.test(part))
}
