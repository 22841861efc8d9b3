import { hash } from 'node:crypto'
import pg from 'pg'

/** A statement ready for the driver. `name` makes it prepared: the same text is parsed once per connection. */
export type Sql = { readonly text: string; readonly values: readonly unknown[]; readonly name: string }

const names = new Map<string, string>()
const NAMES_KEPT = 2000

/** `sql\`select id from t where a = ${value}\``: values become parameters, nested `Sql` becomes text. */
export function sql(strings: TemplateStringsArray, ...holes: unknown[]): Sql {
  const parts = [strings[0]!]
  const values: unknown[] = []
  const append = (text: string) => {
    parts[parts.length - 1] += text
  }
  holes.forEach((hole, i) => {
    if (hole instanceof Raw) append(hole.text)
    else if (hole instanceof Statement) {
      append(hole.parts[0]!)
      parts.push(...hole.parts.slice(1))
      values.push(...hole.values)
    } else {
      values.push(hole)
      parts.push('')
    }
    append(strings[i + 1]!)
  })
  return new Statement(parts, values)
}

/** Known by its class, not its shape: an object that a caller sent must never pass for text of ours. */
class Statement implements Sql {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string
  /** The text around the values, so that nesting need not look for `$1` in quoted text. */
  readonly parts: readonly string[]
  constructor(parts: readonly string[], values: readonly unknown[], name?: string, text?: string) {
    this.text = text ?? parts.reduce((all, part, n) => `${all}$${n}${part}`)
    this.values = values
    this.name = name ?? nameOf(this.text)
    this.parts = parts
  }
}

/** The same statement with other values: to put its text together again costs more than to bind it. */
export function withValues(statement: Sql, values: readonly unknown[]): Sql {
  if (!(statement instanceof Statement)) throw new TypeError('only for what `sql` made')
  return new Statement(statement.parts, values, statement.name, statement.text)
}

class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A quoted identifier. Only for names read from the catalogue or written in code. */
export function identifier(...parts: string[]): Raw {
  return new Raw(parts.map((part) => pg.escapeIdentifier(part)).join('.'))
}

/** Text as a quoted constant, for what must be known when the statement is parsed, such as the name of a table. */
export function literal(text: string): Raw {
  return new Raw(pg.escapeLiteral(text))
}

/** A number of ours written out, for what the planner should know and what is never another one. */
export function integer(value: number): Raw {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is no integer`)
  return new Raw(String(value))
}

/** Text of our own, such as a migration file. It runs unprepared, so it may hold several statements. */
export function script(text: string): Sql {
  return new Statement([text], [], '')
}

function nameOf(text: string): string {
  const known = names.get(text)
  if (known) return known
  const name = `s_${hash('sha256', text).slice(0, 24)}`
  if (names.size < NAMES_KEPT) names.set(text, name)
  return name
}
