import { hash } from 'node:crypto'
import pg from 'pg'

/** A statement ready for the driver. `name` makes it prepared: the same text is parsed once per connection. */
export type Sql = { readonly text: string; readonly values: readonly unknown[]; readonly name: string }

const nameByText = new Map<string, string>()
const MAX_CACHED_NAMES = 2000

/** `sql\`select id from t where a = ${value}\``: values become parameters, nested `Sql` becomes text. */
export function sql(strings: TemplateStringsArray, ...inserted: unknown[]): Sql {
  const parts = [strings[0]!]
  const values: unknown[] = []
  const append = (text: string) => {
    parts[parts.length - 1] += text
  }
  inserted.forEach((value, i) => {
    if (value instanceof Raw) append(value.text)
    else if (value instanceof Statement) {
      append(value.parts[0]!)
      parts.push(...value.parts.slice(1))
      values.push(...value.values)
    } else {
      values.push(value)
      parts.push('')
    }
    append(strings[i + 1]!)
  })
  return new Statement(parts, values)
}

/** Recognised by its class, because an object of the same shape that a caller sent must never count as SQL text. */
class Statement implements Sql {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string
  /** The text between the values. With it nested statements are joined without parsing `$1` out of quoted text. */
  readonly parts: readonly string[]
  constructor(parts: readonly string[], values: readonly unknown[], name?: string, text?: string) {
    this.text = text ?? parts.reduce((all, part, n) => `${all}$${n}${part}`)
    this.values = values
    this.name = name ?? nameOf(this.text)
    this.parts = parts
  }
}

/** Returns the same statement with other values, which is cheaper than building its text again. */
export function withValues(statement: Sql, values: readonly unknown[]): Sql {
  if (!(statement instanceof Statement)) throw new TypeError('withValues takes statements made by `sql`')
  return new Statement(statement.parts, values, statement.name, statement.text)
}

class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Inserts a quoted identifier. Only for names read from the catalogue or written in code. */
export function identifier(...parts: string[]): Raw {
  return new Raw(parts.map((part) => pg.escapeIdentifier(part)).join('.'))
}

/** Inserts text as a quoted constant, for values that Postgres needs when it parses, such as the name of a table. */
export function literal(text: string): Raw {
  return new Raw(pg.escapeLiteral(text))
}

/** Inserts a number as text, for constants that the planner should see. */
export function integer(value: number): Raw {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not an integer`)
  return new Raw(String(value))
}

/** Takes SQL text of our own, such as a migration. It runs unprepared, so it may hold several statements. */
export function script(text: string): Sql {
  return new Statement([text], [], '')
}

function nameOf(text: string): string {
  const cached = nameByText.get(text)
  if (cached) return cached
  const name = `s_${hash('sha256', text).slice(0, 24)}`
  if (nameByText.size < MAX_CACHED_NAMES) nameByText.set(text, name)
  return name
}
