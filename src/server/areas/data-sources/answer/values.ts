import { exactNumber } from '#contract/core/decimal.ts'
import { integer, type Sql, sql } from '#lib/db/sql.ts'

/** One character more than an answer can hold: a longer value is cut anyway and need not cross the wire. */
const LONGEST = 16_385

/** By the OIDs of built-in types, which are the same in every Postgres. Every other type is answered as its text. */
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

/**
 * The value as Postgres writes it. The session must write dates in ISO style (`searchSettings`). The collation is the
 * same for every column, because a prepared statement fails once a column of its result has another one.
 */
export function asText(column: Sql): Sql {
  return sql`pg_catalog.left(${column}::pg_catalog.text, ${integer(LONGEST)}) collate pg_catalog."C"`
}

/**
 * The types these columns have when the statement runs, as an array of OIDs in text. A column may have another type
 * than at saving, and a hit shows it by its present one. The empty CASE has the type under a domain, and no value.
 */
export function typesOf(columns: readonly Sql[]): Sql {
  const types = columns.map((column) => sql`pg_catalog.pg_typeof(case when false then ${column} end)::pg_catalog.oid`)
  return sql`array[${types.reduce((all, one) => sql`${all}, ${one}`)}]::pg_catalog.text`
}

export function readTypes(text: string): number[] {
  return text.slice(1, -1).split(',').map(Number)
}

/** What a hit shows for a value, by the type of its column. */
export function fromText(text: string | null, type: number): unknown {
  if (text === null) return null
  const kind = KINDS.get(type)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'number') return exactNumber(text) ?? text
  if (kind === 'timestamp') return toRfc3339(text)
  return kind === 'json' ? toJson(text) : text
}

/** Ids and titles are always text; times are written as everywhere else in an answer. */
export function toPlainText(text: string | null, type: number): string | null {
  return text !== null && KINDS.get(type) === 'timestamp' ? toRfc3339(text) : text
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?$/

/** In UTC with milliseconds. What RFC 3339 cannot say (infinity, years before 1 and after 9999) stays as it is. */
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

/** JSON with its numbers unchanged. Text that was cut is no JSON any more and stays text. */
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
