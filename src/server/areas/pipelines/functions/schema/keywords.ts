/**
 * The keywords of JSON Schema 2020-12 that are understood, by what their value must be. `schema` and its like are walked
 * into. Any other keyword is refused: one that is not checked would let arguments through that its author meant to keep
 * out.
 */
const KEYWORDS_OF = {
  annotation: `$schema $comment title description default examples deprecated readOnly writeOnly format contentEncoding
    contentMediaType`,
  schema: 'not items additionalProperties propertyNames',
  schemas: 'allOf anyOf oneOf prefixItems',
  schemaMap: '$defs definitions properties',
  count: 'minLength maxLength minItems maxItems minProperties maxProperties',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum',
  positive: 'multipleOf',
  boolean: 'uniqueItems',
  type: 'type',
  values: 'enum',
  value: 'const',
  names: 'required',
  pattern: 'pattern',
  ref: '$ref',
}
export type Form = keyof typeof KEYWORDS_OF

const FORM_OF = new Map(
  Object.entries(KEYWORDS_OF).flatMap(([form, words]) => words.split(/\s+/).map((word) => [word, form as Form])),
)

/** Returns what the value of a keyword must be, or undefined for a keyword that is not understood. */
export function formOf(keyword: string): Form | undefined {
  return FORM_OF.get(keyword)
}

export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const
export type TypeName = (typeof TYPES)[number]

export type JsonObject = Readonly<Record<string, unknown>>
export type Schema = boolean | JsonObject

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
