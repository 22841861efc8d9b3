import type { Fault } from '#contract/core/errors.ts'
import { MAX_SCHEMA_BYTES } from '#contract/workers.ts'
import { type Form, formOf, isObject, type Schema, TYPES } from './keywords.ts'
import { compilePattern, type Pattern } from './pattern.ts'

const MAX_DEPTH = 16
const MAX_NODES = 500
const MAX_PATTERNS = 50
const LOCAL_REF = /^#(?:\/(?:\$defs|definitions)\/([^/~%]{1,100}))?$/

/** A schema whose every keyword was checked, with its patterns compiled. */
export type CheckedSchema = { readonly root: Schema; readonly patterns: ReadonlyMap<string, Pattern> }

class SchemaFault extends Error {
  readonly path: string
  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

type Walk = { readonly root: Schema; nodes: number; readonly patterns: Map<string, Pattern> }

/** Checks a schema that anybody may have written. Returns what is wrong with it, by the path from its root. */
export function checkSchema(root: unknown): CheckedSchema | Fault {
  try {
    const text = JSON.stringify(root)
    if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES)
      throw new SchemaFault('', `must have at most ${MAX_SCHEMA_BYTES} bytes`)
    if (text.includes('\\u0000')) throw new SchemaFault('', 'must not contain the character U+0000')
    if (!isObject(root) || root.type !== 'object') throw new SchemaFault('type', 'must be "object"')
    const walk: Walk = { root, nodes: 0, patterns: new Map() }
    checkNode(root, '', 0, walk)
    return { root, patterns: walk.patterns }
  } catch (error) {
    if (error instanceof SchemaFault) return { path: error.path, message: error.message }
    throw error
  }
}

function checkNode(node: unknown, path: string, depth: number, walk: Walk): void {
  if (typeof node === 'boolean') return
  if (!isObject(node)) throw new SchemaFault(path, 'must be a schema')
  if (depth > MAX_DEPTH) throw new SchemaFault(path, `is nested more than ${MAX_DEPTH} levels deep`)
  if (++walk.nodes > MAX_NODES) throw new SchemaFault(path, `the schema has more than ${MAX_NODES} parts`)
  for (const [keyword, value] of Object.entries(node)) {
    checkKeyword(keyword, value, path === '' ? keyword : `${path}.${keyword}`, depth, walk)
  }
}

type Place = { readonly path: string; readonly depth: number; readonly walk: Walk }

function checkKeyword(keyword: string, value: unknown, path: string, depth: number, walk: Walk): void {
  const form = formOf(keyword)
  if (form === undefined) throw new SchemaFault(path, 'is a keyword that is not supported')
  const fault = FORMS[form](value, { path, depth: depth + 1, walk })
  if (fault !== undefined) throw new SchemaFault(path, fault)
}

/** Checks the value of a keyword. Returns what is wrong with it. */
const FORMS: Readonly<Record<Form, (value: unknown, place: Place) => string | undefined>> = {
  annotation: () => undefined,
  value: () => undefined,
  schema: (value, { path, depth, walk }) => {
    checkNode(value, path, depth, walk)
    return undefined
  },
  schemas: (value, place) =>
    Array.isArray(value) && value.length > 0 ? checkEach(value, place) : 'must be a list of schemas',
  schemaMap: (value, place) => (isObject(value) ? checkEach(value, place) : 'must be an object of schemas'),
  count: (value) => unless(Number.isSafeInteger(value) && Number(value) >= 0, 'must be a whole number from 0'),
  number: (value) => unless(Number.isFinite(value), 'must be a number'),
  positive: (value) => unless(Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'),
  boolean: (value) => unless(typeof value === 'boolean', 'must be true or false'),
  type: (value) => unless([value].flat().every(isTypeName), 'must be a type of JSON Schema'),
  values: (value) => unless(Array.isArray(value) && value.length > 0, 'must be a list of values'),
  names: (value) => unless(isNames(value), 'must be a list of names'),
  pattern: (value, { walk }) => (typeof value === 'string' ? addPattern(value, walk) : 'must be text'),
  ref: (value, { walk }) =>
    unless(
      findRef(walk.root, value) !== undefined,
      'must be # or point to an entry of $defs or definitions in the same schema',
    ),
}

function unless(isRight: boolean, fault: string): string | undefined {
  return isRight ? undefined : fault
}

function checkEach(schemas: object, { path, depth, walk }: Place): undefined {
  for (const [key, one] of Object.entries(schemas)) checkNode(one, `${path}.${key}`, depth, walk)
}

function isTypeName(value: unknown): boolean {
  return TYPES.some((type) => type === value)
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function addPattern(source: string, { patterns }: Walk): string | undefined {
  if (patterns.has(source)) return undefined
  if (patterns.size >= MAX_PATTERNS) return `is one of more than ${MAX_PATTERNS} patterns`
  const pattern = compilePattern(source)
  if (typeof pattern === 'string') return pattern
  patterns.set(source, pattern)
  return undefined
}

/** Returns the schema that a `$ref` points to. */
export function findRef(root: Schema, ref: unknown): Schema | undefined {
  const found = typeof ref === 'string' ? LOCAL_REF.exec(ref) : null
  if (!found) return undefined
  const [, name] = found
  if (name === undefined) return root
  const table = isObject(root) ? root[String(ref).split('/')[1]!] : undefined
  return isObject(table) && Object.hasOwn(table, name) ? (table[name] as Schema) : undefined
}
