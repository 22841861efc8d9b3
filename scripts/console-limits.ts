import { join } from 'node:path'
import type { Plugin } from 'vite'
import { z } from 'zod'
import type { Limits } from '../src/console/parts/form/limits.ts'
import { type Operation, pathParameters } from '../src/contract/core/operation.ts'
import { OPERATIONS } from '../src/contract/operations.ts'

const FILE = join(import.meta.dirname, '..', 'src', 'console', 'parts', 'form', 'limits.ts')

type ByPath = Readonly<Record<string, Limits>>

/**
 * Fills in the limits of the fields of forms. They are those of the input schemas, which the pages do not have: zod and
 * the schemas would be a third of them.
 */
export const limitsOfForms: Plugin = {
  name: 'limits-of-forms',
  enforce: 'pre',
  transform: (_, id) =>
    id === FILE ? { code: `export const LIMITS = ${JSON.stringify(limitsByOperation())}`, map: null } : null,
}

/** Limits of all operations that people change something with. */
export function limitsByOperation(): Readonly<Record<string, ByPath>> {
  const found = OPERATIONS.filter(isForPeople).map((op): [string, ByPath] => [op.name, limitsOf(op)])
  return Object.fromEntries(found.filter(([, limits]) => Object.keys(limits).length > 0))
}

function isForPeople({ kind, effect, access }: Operation): boolean {
  return kind === 'json' && effect === 'write' && typeof access === 'object' && access.principals.includes('user')
}

/** Returns the limits of what an operation takes, other than in its path. */
export function limitsOf({ input, path }: Operation): ByPath {
  const inPath = pathParameters(path)
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  const typed = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  return Object.fromEntries(typed.flatMap(([name, schema]) => limitsIn(schema, name)))
}

type Schema = z.core.JSONSchema._JSONSchema

/** Walks a schema. `.*` are the entries of a list or a record, and `.#` the keys of a record. */
function limitsIn(schema: Schema | undefined, path: string): [string, Limits][] {
  if (typeof schema !== 'object') return []
  const limits = boundsOf(schema)
  return [
    ...(Object.keys(limits).length > 0 ? [[path, limits] as [string, Limits]] : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => limitsIn(part, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) => limitsIn(part, `${path}.${key}`)),
    ...limitsIn(schema.propertyNames, `${path}.#`),
    ...limitsIn(schema.additionalProperties, `${path}.*`),
    ...limitsIn(schema.items as Schema | undefined, `${path}.*`),
  ]
}

function boundsOf({ maxLength, minimum, maximum }: Exclude<Schema, boolean>): Limits {
  return {
    ...(maxLength !== undefined && { maxLength }),
    ...(isBound(minimum) && { min: minimum }),
    ...(isBound(maximum) && { max: maximum }),
  }
}

/** Every integer has the bounds of what a number can hold. */
function isBound(value: number | undefined): value is number {
  return value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
}
