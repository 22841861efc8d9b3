import type { z } from 'zod'

/** Makes a body from a piece of JSON that is put at one place of an otherwise small input. */
type Place = { readonly path: string; readonly wrap: (inner: string) => string }
export type Hostile = { readonly what: string; readonly text: string }

type Schema = z.core.$ZodType

/** Yields bodies of about `limit` bytes that the schema refuses, or that are refused before it is asked. */
export function* hostileBodies(schema: Schema, limit: number): Generator<Hostile> {
  const outermost = { path: '', wrap: (inner: string) => inner }
  for (const { path, wrap } of [outermost, ...placesIn(schema, outermost)]) {
    const room = Math.max(0, limit - wrap('').length - 8)
    for (const [what, fill] of FILLINGS) {
      yield { what: path === '' ? what : `${what} at ${path}`, text: padded(wrap(fill(room)), limit) }
    }
  }
}

/** Spaces count as bytes of the body, but cost a parser little. */
function padded(text: string, limit: number): string {
  return text.padEnd(limit, ' ')
}

const repeated = (item: string, room: number, max = Number.POSITIVE_INFINITY) =>
  Array.from({ length: Math.max(1, Math.min(max, Math.floor(room / (item.length + 1)))) }, () => item).join()

const keyed = (value: string, room: number, max = Number.POSITIVE_INFINITY) => {
  const count = Math.max(1, Math.min(max, Math.floor(room / (value.length + 10))))
  return Array.from({ length: count }, (_, n) => `"k${String(n).padStart(5, '0')}":${value}`).join()
}

/** The last two of each kind are small enough for every fault to be listed. */
const FILLINGS: readonly [string, (room: number) => string][] = [
  ['wrong numbers', (room) => `[${repeated('1', room)}]`],
  ['wrong texts', (room) => `[${repeated('""', room)}]`],
  ['empty objects', (room) => `[${repeated('{}', room)}]`],
  ['objects with unknown keys', (room) => `[${repeated('{"x":1}', room)}]`],
  ['a list of lists', (room) => `[${repeated('[[1]]', room)}]`],
  ['keys with numbers', (room) => `{${keyed('1', room)}}`],
  ['keys with objects', (room) => `{${keyed('{"x":[]}', room)}}`],
  ['many keys', (room) => `{${keyed('1', room, 15_000)}}`],
  ['a long text', (room) => `"${'a'.repeat(room)}"`],
  ['a text of dots', (room) => `"${'a.'.repeat(room / 2)}"`],
  ['escaped NULs', (room) => `"${'\\u0000'.repeat(room / 6)}"`],
  ['quotes', (room) => `"${'\\"'.repeat(room / 2)}"`],
  ['deep lists', (room) => '['.repeat(room / 2) + ']'.repeat(room / 2)],
  ['150 wrong items', (room) => `[${repeated('{}', room, 150)}]`],
  ['150 wrong keys', (room) => `{${keyed('{}', room, 150)}}`],
]

/** Returns the places of lists, maps and texts in an input, each inside objects whose other keys are missing. */
function placesIn(schema: Schema, at: Place): Place[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return [at]
    case 'array':
      return [at, ...placesIn(def.element, { path: `${at.path}[]`, wrap: (inner) => at.wrap(`[${inner}]`) })]
    case 'record':
      return [at, ...placesIn(def.valueType, { path: `${at.path}.*`, wrap: (inner) => at.wrap(`{"k":${inner}}`) })]
    case 'object':
      return Object.entries(def.shape).flatMap(([key, inner]) =>
        placesIn(inner, {
          path: at.path === '' ? key : `${at.path}.${key}`,
          wrap: (text) => at.wrap(`{${siblingsOf(def.shape, key)}"${key}":${text}}`),
        }),
      )
    case 'union':
      return def.options.flatMap((option) => placesIn(option, at))
    case 'optional':
    case 'nullable':
    case 'default':
      return placesIn(def.innerType, at)
    default:
      return []
  }
}

/** Discriminators must be right for the rest of the object to be looked at. */
function siblingsOf(shape: Readonly<Record<string, Schema>>, key: string): string {
  const fixed = Object.entries(shape).flatMap(([name, schema]) => {
    const { def } = (schema as z.core.$ZodTypes)._zod
    if (name === key) return []
    if (def.type === 'literal') return [`"${name}":${JSON.stringify(def.values[0])},`]
    return def.type === 'enum' ? [`"${name}":${JSON.stringify(Object.values(def.entries)[0])},`] : []
  })
  return fixed.join('')
}
