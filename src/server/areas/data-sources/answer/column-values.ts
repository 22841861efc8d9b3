import { exactNumber } from '#contract/core/decimal.ts'

/** Built-in types by their OIDs, which are the same in every Postgres. Values of other types are shown as text. */
const KINDS = new Map<number, 'boolean' | 'number' | 'json' | 'timestamp'>([
  [16, 'boolean'],
  [20, 'number'], // int8
  [21, 'number'], // int2
  [23, 'number'], // int4
  [700, 'number'], // float4
  [701, 'number'], // float8
  [1700, 'number'], // numeric
  [114, 'json'],
  [3802, 'json'], // jsonb
  [1114, 'timestamp'], // without time zone
  [1184, 'timestamp'], // with time zone
])

/** Reads the OIDs of the column types of a found row. */
export function readTypes(text: string): number[] {
  return text.slice(1, -1).split(',').map(Number)
}

/** Returns what a hit shows for a value, by the type of its column. */
export function columnValue(text: string | null, type: number): unknown {
  if (text === null) return null
  const kind = KINDS.get(type)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'number') return exactNumber(text) ?? text
  if (kind === 'timestamp') return toRfc3339(text)
  return kind === 'json' ? toJson(text) : text
}

/** Returns an id or a title, which are always text; times are written as everywhere else in an answer. */
export function columnText(text: string | null, type: number): string | null {
  return text !== null && KINDS.get(type) === 'timestamp' ? toRfc3339(text) : text
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?$/

/** In UTC with milliseconds. What RFC 3339 cannot express (infinity, years before 1 and after 9999) stays as it is. */
function toRfc3339(text: string): string {
  const match = TIMESTAMP.exec(text)
  if (!match) return text
  const [, date, time, fraction = '', sign, hours = '0', minutes = '0', seconds = '0'] = match
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  const local = Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
  const utc = new Date(local - (sign === '-' ? -offset : offset) * 1000)
  const year = utc.getUTCFullYear()
  return year >= 1 && year <= 9999 ? utc.toISOString() : text
}

/** Whether some number in the text may not survive `JSON.parse`. */
const RISKY_NUMBER = /[\d.]{16}|\de/i

/** Parses JSON and keeps its numbers exact. Text that was cut is not JSON any more and stays text. */
function toJson(text: string): unknown {
  try {
    return RISKY_NUMBER.test(text) ? (JSON.parse(text, keepNumber) as unknown) : (JSON.parse(text) as unknown)
  } catch {
    return text
  }
}

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined ? (exactNumber(source) ?? source) : value
}
