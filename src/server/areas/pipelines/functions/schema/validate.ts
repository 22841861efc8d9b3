import type { Fault } from '#contract/core/errors.ts'
import { canonical } from './canonical.ts'
import { type CheckedSchema, findRef } from './check-schema.ts'
import { isObject, type JsonObject, type Schema, type TypeName } from './keywords.ts'
import { MAX_MATCHED_LENGTH } from './pattern.ts'

const MAX_FAULTS = 20
/** Bounds the work on one value, because `$ref` and `anyOf` let a small schema ask for very much of it. */
const MAX_STEPS = 100_000
const MAX_DEPTH = 64
const CHARACTERS_PER_STEP = 100

class TooMuchWork extends Error {}

/** Returns what is wrong with a value, at most 20 faults. */
export function validate({ root, patterns }: CheckedSchema, value: unknown): Fault[] {
  const run = new Run(root, patterns)
  try {
    run.check(root, value, 'arguments')
    return run.faults.slice(0, MAX_FAULTS)
  } catch (error) {
    if (error instanceof TooMuchWork) return [{ path: 'arguments', message: 'take too long to check with this schema' }]
    throw error
  }
}

class Run {
  faults: Fault[] = []
  readonly #root: Schema
  readonly #patterns: CheckedSchema['patterns']
  #steps = 0
  #depth = 0

  constructor(root: Schema, patterns: CheckedSchema['patterns']) {
    this.#root = root
    this.#patterns = patterns
  }

  check(schema: Schema, value: unknown, path: string): void {
    this.#spend(1)
    if (schema === true) return
    if (schema === false) {
      this.#fault(path, 'is not allowed')
      return
    }
    if (++this.#depth > MAX_DEPTH) throw new TooMuchWork()
    if (this.#checkType(schema, value, path)) {
      this.#checkValues(schema, value, path)
      this.#checkCombined(schema, value, path)
      if (typeof value === 'number') this.#checkNumber(schema, value, path)
      else if (typeof value === 'string') this.#checkText(schema, value, path)
      else if (Array.isArray(value)) this.#checkList(schema, value, path)
      else if (isObject(value)) this.#checkObject(schema, value, path)
    }
    this.#depth--
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS) throw new TooMuchWork()
  }

  #fault(path: string, message: string): void {
    if (this.faults.length <= MAX_FAULTS) this.faults.push({ path, message })
  }

  /** Whether the value fits, without keeping the faults. */
  #fits(schema: Schema, value: unknown): boolean {
    const { faults } = this
    const depth = this.#depth
    this.faults = []
    this.check(schema, value, '')
    const fits = this.faults.length === 0
    this.faults = faults
    this.#depth = depth
    return fits
  }

  #checkType({ type }: JsonObject, value: unknown, path: string): boolean {
    if (type === undefined) return true
    const types = [type].flat() as TypeName[]
    if (types.some((one) => isOfType(value, one))) return true
    this.#fault(path, `must be ${types.join(' or ')}`)
    return false
  }

  #checkValues(schema: JsonObject, value: unknown, path: string): void {
    if (schema.enum === undefined && !Object.hasOwn(schema, 'const')) return
    const text = this.#canonical(value)
    const values = (schema.enum ?? [schema.const]) as readonly unknown[]
    if (values.some((one) => this.#canonical(one) === text)) return
    const list = values.slice(0, 10).map((one) => JSON.stringify(one).slice(0, 100))
    this.#fault(path, `must be ${list.join(', ')}${values.length > list.length ? ', …' : ''}`)
  }

  #canonical(value: unknown): string {
    const text = canonical(value)
    this.#spend(1 + text.length / CHARACTERS_PER_STEP)
    return text
  }

  #checkCombined(schema: JsonObject, value: unknown, path: string): void {
    const { allOf, anyOf, oneOf, not, $ref } = schema as Record<string, Schema[]> & { not?: Schema; $ref?: string }
    if ($ref !== undefined) this.check(findRef(this.#root, $ref)!, value, path)
    for (const one of allOf ?? []) this.check(one, value, path)
    if (anyOf && !anyOf.some((one) => this.#fits(one, value))) this.#fault(path, 'must match one of anyOf')
    if (oneOf && oneOf.filter((one) => this.#fits(one, value)).length !== 1)
      this.#fault(path, 'must match exactly one of oneOf')
    if (not !== undefined && this.#fits(not, value)) this.#fault(path, 'must not match the schema of not')
  }

  #checkNumber(schema: JsonObject, value: number, path: string): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>
    if (minimum !== undefined && value < minimum) this.#fault(path, `must be at least ${minimum}`)
    if (maximum !== undefined && value > maximum) this.#fault(path, `must be at most ${maximum}`)
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      this.#fault(path, `must be above ${exclusiveMinimum}`)
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      this.#fault(path, `must be below ${exclusiveMaximum}`)
    if (multipleOf !== undefined && !isMultiple(value, multipleOf))
      this.#fault(path, `must be a multiple of ${multipleOf}`)
  }

  #checkText(schema: JsonObject, value: string, path: string): void {
    const { minLength, maxLength, pattern } = schema as { minLength?: number; maxLength?: number; pattern?: string }
    if (minLength !== undefined || maxLength !== undefined) {
      this.#spend(value.length / CHARACTERS_PER_STEP)
      const length = Array.from(value).length
      if (length < (minLength ?? 0)) this.#fault(path, `must have at least ${minLength} characters`)
      if (length > (maxLength ?? Infinity)) this.#fault(path, `must have at most ${maxLength} characters`)
    }
    if (pattern !== undefined) this.#checkPattern(pattern, value, path)
  }

  #checkPattern(pattern: string, value: string, path: string): void {
    if (value.length > MAX_MATCHED_LENGTH) {
      this.#fault(path, `must have at most ${MAX_MATCHED_LENGTH} characters, because it is matched by a pattern`)
      return
    }
    const compiled = this.#patterns.get(pattern)!
    this.#spend(1 + (value.length * compiled.programSize) / CHARACTERS_PER_STEP)
    if (!compiled.matches(value)) this.#fault(path, `must match the pattern ${pattern.slice(0, 100)}`)
  }

  #checkList(schema: JsonObject, value: readonly unknown[], path: string): void {
    const { minItems, maxItems, uniqueItems } = schema as {
      minItems?: number
      maxItems?: number
      uniqueItems?: boolean
    }
    if (value.length < (minItems ?? 0)) this.#fault(path, `must have at least ${minItems} items`)
    if (value.length > (maxItems ?? Infinity)) this.#fault(path, `must have at most ${maxItems} items`)
    if (uniqueItems && new Set(value.map((one) => this.#canonical(one))).size < value.length)
      this.#fault(path, 'must not have equal items')
    const first = (schema.prefixItems ?? []) as readonly Schema[]
    const rest = schema.items as Schema | undefined
    for (const [i, item] of value.entries()) {
      const one = i < first.length ? first[i] : rest
      if (one !== undefined) this.check(one, item, `${path}.${i}`)
    }
  }

  #checkObject(schema: JsonObject, value: JsonObject, path: string): void {
    const keys = Object.keys(value)
    const { minProperties, maxProperties } = schema as { minProperties?: number; maxProperties?: number }
    if (keys.length < (minProperties ?? 0)) this.#fault(path, `must have at least ${minProperties} properties`)
    if (keys.length > (maxProperties ?? Infinity)) this.#fault(path, `must have at most ${maxProperties} properties`)
    for (const name of (schema.required ?? []) as readonly string[]) {
      if (!Object.hasOwn(value, name)) this.#fault(`${path}.${name}`, 'is missing')
    }
    const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
    const others = schema.additionalProperties as Schema | undefined
    const names = schema.propertyNames as Schema | undefined
    for (const key of keys) {
      if (names !== undefined) this.check(names, key, `${path}.${key}`)
      if (Object.hasOwn(properties, key)) this.check(properties[key]!, value[key], `${path}.${key}`)
      else if (others === false) this.#fault(`${path}.${key}`, 'unknown key')
      else if (others !== undefined) this.check(others, value[key], `${path}.${key}`)
    }
  }
}

function isOfType(value: unknown, type: TypeName): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

/** Allows for the rounding of decimals: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) < 1e-9
}
