import { isBounded } from './is-bounded.ts'
import { fieldsOf, type Json, listOf } from './json-parts.ts'

type Option = string | number | boolean | null

/** One argument of a function, as the form offers it. */
export type Argument = {
  readonly name: string
  readonly isRequired: boolean
  /** The description with the bounds and the default, shortened. Empty if the schema has none of them. */
  readonly hint: string
} & (
  | { readonly kind: 'text'; readonly isLong: boolean }
  | { readonly kind: 'number' | 'integer' | 'boolean' | 'json' }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
)

/** Fields that a form still helps with. With more of them the JSON is easier to read. */
const MAX_FIELDS = 40
const MAX_NAME = 64
const MAX_OPTIONS = 50
const MAX_OPTION = 100
const MAX_HINT = 300
const MAX_DEFAULT = 60
/** Longer texts get a box of several lines. */
const SHORT_TEXT = 100

const ABOUT = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment']
/** Beside these, a schema can ask for more than a form shows. */
const OF_ARGUMENTS = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  '$schema',
  '$defs',
  'definitions',
  ...ABOUT,
]
const OF_TEXT = ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType']
const OF_NUMBER = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format']

/**
 * Reads the fields of a form from the schema of a function's arguments. Returns undefined if only JSON can show them:
 * the schema is not a plain object, or it is larger than an honest one.
 */
export function readFields(schema: unknown): readonly Argument[] | undefined {
  if (!isBounded(schema)) return undefined
  const parts = fieldsOf(schema)
  if (parts.type !== 'object' || !hasOnly(parts, OF_ARGUMENTS)) return undefined
  const properties = Object.entries(fieldsOf(parts.properties))
  if (properties.length > MAX_FIELDS || properties.some(([name]) => name === '' || name.length > MAX_NAME))
    return undefined
  const required = new Set(listOf(parts.required))
  return properties.map(([name, property]) => readField(name, fieldsOf(property), required.has(name)))
}

function readField(name: string, property: Json, isRequired: boolean): Argument {
  const kind = kindOf(property)
  const field = { name, isRequired, hint: hintOf(property, kind) }
  if (kind === 'choice') return { ...field, kind, options: listOf(property.enum) as Option[] }
  if (kind === 'text')
    return { ...field, kind, isLong: !isAtMost(property.maxLength, SHORT_TEXT) && !('format' in property) }
  return { ...field, kind }
}

function kindOf(property: Json): Argument['kind'] {
  const { type } = property
  if ('enum' in property) return isChoice(property) ? 'choice' : 'json'
  if (type === 'string' && hasOnly(property, ['type', ...OF_TEXT, ...ABOUT])) return 'text'
  if (type === 'boolean' && hasOnly(property, ['type', ...ABOUT])) return 'boolean'
  if ((type === 'number' || type === 'integer') && hasOnly(property, ['type', ...OF_NUMBER, ...ABOUT])) return type
  return 'json'
}

function isChoice(property: Json): boolean {
  const options = listOf(property.enum)
  if (options.length === 0 || options.length > MAX_OPTIONS) return false
  return options.every(isOption) && hasOnly(property, ['type', 'enum', ...ABOUT])
}

function isOption(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_OPTION
  return value === null || typeof value === 'number' || typeof value === 'boolean'
}

function hintOf({ description, default: given, ...bounds }: Json, kind: Argument['kind']): string {
  const start = given === undefined ? '' : `Default: ${shorten(JSON.stringify(given), MAX_DEFAULT)}`
  const parts = [typeof description === 'string' ? description.trim() : '', boundsText(bounds, kind), start]
  return parts
    .filter((part) => part !== '')
    .map((part) => withStop(shorten(part, MAX_HINT)))
    .join(' ')
}

function boundsText({ minimum, maximum, minLength, maxLength }: Json, kind: Argument['kind']): string {
  if (kind === 'number' || kind === 'integer') return rangeText(minimum, maximum, '')
  return kind === 'text' ? rangeText(minLength, maxLength, ' characters') : ''
}

/** Bounds beyond whole numbers that are exact are those of the type, such as zod writes them. */
function rangeText(from: unknown, to: unknown, unit: string): string {
  const [low, high] = [from, to].map((bound) => (isNarrow(bound) ? bound : undefined))
  if (low !== undefined && high !== undefined) return `From ${low} to ${high}${unit}`
  if (low !== undefined) return `At least ${low}${unit}`
  return high === undefined ? '' : `At most ${high}${unit}`
}

function isNarrow(bound: unknown): bound is number {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
}

function isAtMost(bound: unknown, max: number): boolean {
  return typeof bound === 'number' && bound <= max
}

function hasOnly(parts: Json, keywords: readonly string[]): boolean {
  return Object.keys(parts).every((keyword) => keywords.includes(keyword))
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

export function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}
