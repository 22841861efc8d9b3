const CERTIFICATE = /\b(?:certificates?|certs?|tls|ssl|x509)\b|\bCERT_/i
const TOKEN =
  /\b(?:api[ _-]?(?:key|token)s?|tokens?|credentials?|licen[cs]es?|secrets?|access keys?)\b|_(?:TOKEN|KEY|SECRET)\b/i
/** Not `expired`: that is said of sessions and caches every day. */
const EXPIRES =
  /\bexpir(?:es?|ing|y|ation)\b|\bexpires?_|\bvalid (?:until|till|to)\b|\bnot[ _]?after\b|\bdays_(?:left|remaining|until)|\b(?:remaining|left)_days\b|\bdays(?:Left|Remaining)\b/i
const HAS_EXPIRED = /\bcertificate (?:has |is |was )?expired\b|\bcert (?:has )?expired\b|\bCERT_HAS_EXPIRED\b/i
const RENEWED = /\b(?:issued|created|refreshed|renewed|rotated|obtained|re-?issued|granted)\b/i
const URGENT = /\bsoon\b|\babout to\b|\bwarning\b|\brotate\b|\brenew\b|\breplace\b/i
const IN_DAYS =
  /\b(?:(?:expires?_in|valid_for|remaining|left)_?days|days_?(?:left|remaining|(?:until|to)_?expir(?:y|ation)))"?\s{0,2}[=:]\s{0,2}"?(\d{1,5})\b/i
const IN_SECONDS = /\bexpires?_in"?\s{0,2}[=:]\s{0,2}"?(\d{1,9})\b(?! ?[dhm])/i
const DURATION = /\b(\d{1,6}) ?(seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?)\b(?! ago)/gi
const ISO_DATE = /\b(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?(?:\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?)?/
const MONTH_FIRST = /\b([A-Z][a-z]{2})[a-z]{0,6}\.? {1,2}(\d{1,2}),?(?: \d{2}:\d{2}(?::\d{2})?)? (\d{4})\b/
const DAY_FIRST = /\b(\d{1,2}) ([A-Z][a-z]{2})[a-z]{0,6} (\d{4})\b/
const HOST = /\b((?:[a-z0-9*-]{1,63}\.){1,6}[a-z]{2,24})\b/i
/** The name in the subject of a certificate: `CN=agent,O=Example`. */
const COMMON_NAME = /\bCN ?= ?([\w*][\w.*-]{0,62}\w)/
const VARIABLE = /\b[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){0,6}_(?:TOKEN|KEY|SECRET)\b/
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }
const MAX_CHARACTERS = 1_000

export type Expiry = {
  readonly thing: 'certificate' | 'token'
  /** The host of a certificate or the name of a variable. Empty if the line names none. */
  readonly subject: string
  /** Undefined in a line that only says that the thing was renewed. */
  readonly deadline: Date | undefined
  /** The line gives hours or less, as of what is renewed all the time. */
  readonly isShort: boolean
  readonly isRenewed: boolean
  readonly isUrgent: boolean
}

/** Reads when a certificate or a token that the line is about expires. Undefined for other lines. */
export function expiryOf(text: string, at: Date): Expiry | undefined {
  const line = text.slice(0, MAX_CHARACTERS)
  const thing = CERTIFICATE.test(line) ? 'certificate' : TOKEN.test(line) ? 'token' : undefined
  if (thing === undefined) return undefined
  const isRenewed = RENEWED.test(line)
  const stated = HAS_EXPIRED.test(line) ? { deadline: at, isShort: false } : deadlineIn(line, at)
  if (!stated && !isRenewed) return undefined
  const subject = VARIABLE.exec(line)?.[0] ?? COMMON_NAME.exec(line)?.[1] ?? HOST.exec(line)?.[1]?.toLowerCase() ?? ''
  const { deadline, isShort = false } = stated ?? {}
  return { thing, subject, deadline, isShort, isRenewed, isUrgent: URGENT.test(line) }
}

type Stated = { readonly deadline: Date; readonly isShort: boolean }

function deadlineIn(line: string, at: Date): Stated | undefined {
  const word = EXPIRES.exec(line)
  if (!word) return undefined
  const days = IN_DAYS.exec(line)?.[1]
  if (days !== undefined) return after(at, Number(days), 'd')
  const seconds = IN_SECONDS.exec(line)?.[1]
  if (seconds !== undefined) return after(at, Number(seconds), 's')
  const rest = line.slice(word.index + word[0].length, word.index + word[0].length + 80)
  const date = dateIn(rest)
  if (date) return { deadline: date, isShort: false }
  const ahead = [...rest.matchAll(DURATION)][0] ?? [...line.slice(0, word.index).matchAll(DURATION)].at(-1)
  return ahead && after(at, Number(ahead[1]), ahead[2]![0]!.toLowerCase())
}

function after(at: Date, amount: number, unit: string): Stated {
  const seconds = amount * SECONDS[unit]!
  return {
    deadline: new Date(at.getTime() + seconds * 1000),
    isShort: unit !== 'd' && unit !== 'w' && seconds < 86_400,
  }
}

function dateIn(text: string): Date | undefined {
  const iso = ISO_DATE.exec(text)
  if (iso) return validDate(`${iso[1]}T${iso[2] ?? '00:00'}:00${iso[3] ?? 'Z'}`)
  const first = MONTH_FIRST.exec(text)
  if (first) return validDate(`${first[2]} ${first[1]} ${first[3]} 00:00 UTC`)
  const second = DAY_FIRST.exec(text)
  return second ? validDate(`${second[1]} ${second[2]} ${second[3]} 00:00 UTC`) : undefined
}

function validDate(text: string): Date | undefined {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date
}
