/** What a keyword's value must be. `schema` and its like are walked into. */
export type Form =
  | 'annotation'
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'count'
  | 'number'
  | 'positive'
  | 'boolean'
  | 'type'
  | 'values'
  | 'value'
  | 'names'
  | 'pattern'
  | 'ref'

/**
 * The keywords of JSON Schema 2020-12 that are understood. Any other one is refused: a keyword that is not checked would
 * let arguments through that its author meant to keep out.
 */
export const KEYWORDS: Readonly<Record<string, Form>> = {
  $schema: 'annotation',
  $comment: 'annotation',
  title: 'annotation',
  description: 'annotation',
  default: 'annotation',
  examples: 'annotation',
  deprecated: 'annotation',
  readOnly: 'annotation',
  writeOnly: 'annotation',
  format: 'annotation',
  contentEncoding: 'annotation',
  contentMediaType: 'annotation',
  $ref: 'ref',
  $defs: 'schemaMap',
  definitions: 'schemaMap',
  type: 'type',
  enum: 'values',
  const: 'value',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  items: 'schema',
  prefixItems: 'schemas',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'boolean',
  properties: 'schemaMap',
  required: 'names',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  minProperties: 'count',
  maxProperties: 'count',
}

export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const
export type TypeName = (typeof TYPES)[number]

export type JsonObject = Readonly<Record<string, unknown>>
export type Schema = boolean | JsonObject

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
