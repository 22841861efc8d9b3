import type { z } from 'zod'
import { maxKeysOf } from '#contract/core/bounded-map.ts'
import { sizeBounds } from './size-bounds.ts'

type Schema = z.core.$ZodType
type Issue = z.core.$ZodRawIssue
type Path = (string | number)[]
/** A fault and where it is. The path is the last key first, and grows while the search returns. */
export type FoundFault = { readonly issue: Issue; readonly path: Path }
type FindFault = (value: unknown) => FoundFault | undefined

/**
 * Creates a search for the first fault of a value. It reads objects, lists and maps itself, sizes before contents, and
 * leaves single values to zod, because zod checks all of a container and builds every fault before it returns. A text
 * that is too long is found before zod compares it with patterns.
 */
export function createFaultFinder(schema: Schema): FindFault {
  const find = contentFinder(schema)
  if (find === undefined) return (value) => runSchema(schema, value)
  return hasOwnChecks(schema) ? (value) => find(value) ?? runSchema(schema, value) : find
}

/** Returns undefined for schemas of single values that need no search of their own. */
function contentFinder(schema: Schema): FindFault | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return inString(schema)
    case 'object':
      return inObject(schema, def)
    case 'array':
      return inArray(schema, createFaultFinder(def.element))
    case 'record':
      return inMap(schema, createFaultFinder(def.keyType), createFaultFinder(def.valueType))
    case 'union':
      return 'discriminator' in def
        ? byDiscriminator(schema, def as z.core.$ZodDiscriminatedUnionDef)
        : inUnion(schema, def.options.map(createFaultFinder))
    case 'optional':
    case 'default':
      return unless((value) => value === undefined, createFaultFinder(def.innerType))
    case 'nullable':
      return unless((value) => value === null, createFaultFinder(def.innerType))
    default:
      return undefined
  }
}

/** Whether a container has checks that zod must run. Sizes are compared by `inArray` and `inMap`. */
function hasOwnChecks(schema: Schema): boolean {
  const { type, checks = [] } = schema._zod.def
  if (type === 'record') return checks.length > 1
  if (type === 'string') return false
  return checks.some(({ _zod }) => type !== 'array' || !SIZES.has(_zod.def.check))
}

const SIZES = new Set(['min_length', 'max_length'])

function runSchema(schema: Schema, value: unknown): FoundFault | undefined {
  const result = schema._zod.run({ value, issues: [] }, { async: false })
  if (result instanceof Promise) throw new Error('an input schema must not be asynchronous')
  const [issue] = result.issues
  return issue && { issue, path: (issue.path ?? []).toReversed() as Path }
}

/** Spaces around a text that are accepted beyond its length, where the schema cuts them off. */
const MAX_PADDING = 1_000

function inString(schema: Schema): FindFault {
  const checks = schema._zod.def.checks ?? []
  const check = checks.find(({ _zod }) => _zod.def.check === 'max_length')
  if (!check) return (value) => runSchema(schema, value)
  const { maximum } = sizeBounds(schema)
  const limit = checks.some(({ _zod }) => _zod.def.check === 'overwrite') ? maximum + MAX_PADDING : maximum
  return (value) => {
    if (typeof value !== 'string' || value.length <= limit) return runSchema(schema, value)
    return { issue: { code: 'too_big', origin: 'string', maximum, input: value, inst: check }, path: [] }
  }
}

function unless(isAbsent: (value: unknown) => boolean, find: FindFault): FindFault {
  return (value) => (isAbsent(value) ? undefined : find(value))
}

function inObject(schema: Schema, { shape, catchall }: z.core.$ZodObjectDef): FindFault {
  const finders = Object.entries(shape).map(([key, inner]) => [key, createFaultFinder(inner)] as const)
  const isStrict = catchall?._zod.def.type === 'never'
  return (value) => {
    if (!isContainer(value) || Array.isArray(value)) return runSchema(schema, value)
    for (const [key, find] of finders) {
      const found = find(value[key])
      if (found) return within(found, key)
    }
    return isStrict ? unknownKeysOf(schema, value, shape) : undefined
  }
}

/** Naming a few unknown keys is enough, and there can be as many as fit into a body. */
const MAX_NAMED_KEYS = 10

function unknownKeysOf(schema: Schema, input: Record<string, unknown>, shape: object): FoundFault | undefined {
  const keys: string[] = []
  for (const key in input) {
    if (!Object.hasOwn(shape, key) && keys.push(key) === MAX_NAMED_KEYS) break
  }
  if (keys.length === 0) return undefined
  return { issue: { code: 'unrecognized_keys', keys, input, inst: schema }, path: [] }
}

function inArray(schema: Schema, find: FindFault): FindFault {
  const { minimum, maximum } = sizeBounds(schema)
  return (value) => {
    // Zod compares the size of a list before it looks at the items.
    if (!Array.isArray(value) || value.length < minimum || value.length > maximum) return runSchema(schema, value)
    for (let n = 0; n < value.length; n++) {
      const found = find(value[n])
      if (found) return within(found, n)
    }
    return undefined
  }
}

function inMap(schema: Schema, findInKey: FindFault, find: FindFault): FindFault {
  const maxKeys = maxKeysOf(schema)
  return (value) => {
    if (!isContainer(value) || Array.isArray(value)) return runSchema(schema, value)
    if (hasMoreKeys(value, maxKeys)) return tooManyKeys(value, maxKeys, schema)
    for (const key in value) {
      const found = findInKey(key) ?? find(value[key])
      if (found) return within(found, key)
    }
    return undefined
  }
}

function hasMoreKeys(value: object, limit: number): boolean {
  let count = 0
  for (const _ in value) if (++count > limit) return true
  return false
}

function tooManyKeys(input: unknown, maximum: number, inst: Schema): FoundFault {
  return { issue: { code: 'too_big', origin: 'array', maximum, input, inst }, path: [] }
}

function inUnion(schema: Schema, finders: readonly FindFault[]): FindFault {
  return (value) => {
    // Zod names the fault of the one option whose type fits, and a single value costs little.
    if (!isContainer(value)) return runSchema(schema, value)
    if (finders.some((find) => find(value) === undefined)) return undefined
    return { issue: { code: 'invalid_union', errors: [], input: value, inst: schema }, path: [] }
  }
}

function byDiscriminator(schema: Schema, { discriminator, options }: z.core.$ZodDiscriminatedUnionDef): FindFault {
  const finders = options.map((option) => ({
    values: option._zod.propValues?.[discriminator],
    find: createFaultFinder(option),
  }))
  return (value) => {
    const tag = isContainer(value) ? (value[discriminator] as z.core.util.Primitive) : undefined
    const option = finders.find(({ values }) => values?.has(tag))
    return option ? option.find(value) : runSchema(schema, value)
  }
}

function within(found: FoundFault, key: string | number): FoundFault {
  found.path.push(key)
  return found
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
