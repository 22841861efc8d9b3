import { hash } from 'node:crypto'
import pg from 'pg'

/** A statement ready for the driver. `name` makes it prepared: the same text is parsed once per connection. */
export type Sql = { readonly text: string; readonly values: readonly unknown[]; readonly name: string }

const names = new Map<string, string>()
const NAMES_KEPT = 2000

/** `sql\`select id from t where a = ${value}\``: values become parameters, nested `Sql` becomes text. */
export function sql(strings: TemplateStringsArray, ...holes: unknown[]): Sql {
  let text = ''
  const values: unknown[] = []
  const put = (part: string, hole: unknown) => {
    text += part
    if (hole instanceof Raw) text += hole.text
    else if (isSql(hole)) {
      text += hole.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + values.length}`)
      values.push(...hole.values)
    } else {
      values.push(hole)
      text += `$${values.length}`
    }
  }
  holes.forEach((hole, i) => put(strings[i]!, hole))
  text += strings[holes.length]!
  return { text, values, name: nameOf(text) }
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

/** Text of our own, such as a migration file. It runs unprepared, so it may hold several statements. */
export function script(text: string): Sql {
  return { text, values: [], name: '' }
}

function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'text' in value && 'values' in value && 'name' in value
}

function nameOf(text: string): string {
  const known = names.get(text)
  if (known) return known
  const name = `s_${hash('sha256', text).slice(0, 24)}`
  if (names.size < NAMES_KEPT) names.set(text, name)
  return name
}
