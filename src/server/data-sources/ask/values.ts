import { exactNumber } from '#contract/decimal.ts'
import { identifier, integer, type Sql, sql } from '#lib/db/sql.ts'

/** One more than an answer can hold: what is longer will be cut anyway, and need not cross the wire. */
const LONGEST = 16_385
/** Types by either of the names Postgres has for them; a modifier such as `numeric(10,2)` does not matter. */
const KINDS: Record<string, 'number' | 'boolean' | 'json' | 'timestamptz' | 'timestamp'> = {
  ...kind('number', 'int2', 'int4', 'int8', 'smallint', 'integer', 'bigint', 'numeric', 'float4', 'float8', 'real'),
  ...kind('number', 'double precision'),
  ...kind('boolean', 'bool', 'boolean'),
  ...kind('json', 'json', 'jsonb'),
  ...kind('timestamptz', 'timestamptz', 'timestamp with time zone'),
  ...kind('timestamp', 'timestamp', 'timestamp without time zone'),
}

function kind<K extends string>(name: K, ...types: string[]): Record<string, K> {
  return Object.fromEntries(types.map((type) => [type, name]))
}

function kindOf(type: string) {
  return KINDS[type.replace(/\([\d, ]+\)/, '')]
}

/** How a column is read: always as text, in a form `fromText` turns into what JSON has for it. */
export function asText(column: string, type: string): Sql {
  const name = identifier(column)
  const kind = kindOf(type)
  if (kind === 'timestamptz') {
    return sql`pg_catalog.to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  }
  if (kind === 'timestamp') return sql`pg_catalog.to_char(${name}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return sql`pg_catalog.left(${name}::pg_catalog.text, ${integer(LONGEST)})`
}

export function fromText(text: string | null, type: string): unknown {
  if (text === null) return null
  const kind = kindOf(type)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'number') return exactNumber(text) ?? text
  return kind === 'json' ? toJson(text) : text
}

/** Cut JSON is no JSON: it stays text. */
function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
