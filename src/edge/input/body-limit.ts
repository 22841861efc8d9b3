import type { z } from 'zod'
import { maxKeysOf } from '#contract/core/bounded-map.ts'
import { inputInQuery, type Operation } from '#contract/core/operation.ts'
import { sizeBounds } from './size-bounds.ts'

/** A character takes six bytes where a client escapes it, as `\u00e9`. */
const BYTES_PER_CHARACTER = 6
const NUMBER_BYTES = 40
/** Quotes, comma and colon of an entry, with the indentation of a client that writes one per line. */
const ENTRY_BYTES = 40
/** Room for a small body that is written with many spaces. */
const SLACK_BYTES = 4096

/** Returns how many bytes an operation accepts: its limit, or less if its largest valid input is smaller. */
export function bodyLimitOf(op: Operation): number {
  if (inputInQuery(op) || op.bodyLimit === 0) return op.bodyLimit
  return Math.min(op.bodyLimit, largestJson(op.input) + SLACK_BYTES)
}

/** Returns the bytes of the largest value that a schema accepts, as JSON. Infinite if it accepts any JSON, or itself inside. */
function largestJson(schema: z.core.$ZodType, outer: readonly z.core.$ZodType[] = []): number {
  if (outer.includes(schema)) return Number.POSITIVE_INFINITY
  const inside = [...outer, schema]
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return longestText(schema) * BYTES_PER_CHARACTER
    case 'number':
    case 'boolean':
    case 'null':
      return NUMBER_BYTES
    case 'enum':
      return largest(Object.values(def.entries).map((entry) => String(entry).length * BYTES_PER_CHARACTER))
    case 'literal':
      return largest(def.values.map((value) => String(value).length * BYTES_PER_CHARACTER))
    case 'array':
      return sizeBounds(schema).maximum * (largestJson(def.element, inside) + ENTRY_BYTES)
    case 'record':
      return maxKeysOf(schema) * (largestJson(def.keyType, inside) + largestJson(def.valueType, inside) + ENTRY_BYTES)
    case 'object': {
      const entries = Object.entries(def.shape)
      return sum(
        entries.map(([key, value]) => key.length * BYTES_PER_CHARACTER + largestJson(value, inside) + ENTRY_BYTES),
      )
    }
    case 'union':
      return largest(def.options.map((option) => largestJson(option, inside)))
    case 'optional':
    case 'nullable':
    case 'default':
      return Math.max(largestJson(def.innerType, inside), NUMBER_BYTES)
    case 'pipe':
      return largestJson(def.in, inside)
    default:
      return Number.POSITIVE_INFINITY
  }
}

/** No pattern of the contract that bounds a text by itself accepts a longer one. */
const MAX_PATTERN_LENGTH = 200

function longestText(schema: z.core.$ZodType): number {
  const { maximum } = sizeBounds(schema)
  return Number.isFinite(maximum) ? maximum : MAX_PATTERN_LENGTH
}

function largest(sizes: readonly number[]): number {
  return Math.max(0, ...sizes)
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}
