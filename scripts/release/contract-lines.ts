import { z } from 'zod'
import type { JsonOperation, Operation } from '../../src/contract/core/operation.ts'

type Schema = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

/**
 * Describes the public API in a line per fact, so that a change of it can be read and judged:
 *
 *     op tokens.create POST /api/v1/tokens
 *     in tokens.create name: string, required
 *     out tokens.create expires_at: string or null
 *     deprecated tokens.create 2026-11-17
 */
export function contractLines(operations: readonly Operation[]): string[] {
  const lines = operations.flatMap((op) => [
    `op ${op.name} ${op.method} ${op.path}`,
    ...(op.deprecated ? [`deprecated ${op.name} ${op.deprecated.since}`] : []),
    ...valueLines(`in ${op.name}`, op.input, 'input'),
    ...(isJson(op) ? valueLines(`out ${op.name}`, op.output, 'output') : []),
  ])
  return [...new Set(lines)]
}

function isJson(op: Operation): op is JsonOperation {
  return 'output' in op
}

function valueLines(prefix: string, schema: z.ZodType, io: 'input' | 'output'): string[] {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any', io, reused: 'inline', cycles: 'ref' }) as Schema
  return propertiesOf(prefix, '', whole, whole)
}

function propertiesOf(prefix: string, path: string, schema: Schema, whole: Schema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, part]) => {
    const at = path === '' ? key : `${path}.${key}`
    const required = schema.required?.includes(key) ? ', required' : ''
    return [`${prefix} ${at}: ${typeOf(part)}${required}`, ...innerLines(prefix, at, part, whole)]
  })
}

function innerLines(prefix: string, path: string, schema: Schema, whole: Schema): string[] {
  const variants = schema.anyOf ?? schema.oneOf ?? []
  const values = valuesOf(schema).map((value) => `${prefix} ${path} = ${JSON.stringify(value)}`)
  const rest = schema.additionalProperties
  return [
    ...values,
    ...variants.flatMap((variant) => innerLines(prefix, path, variant, whole)),
    ...propertiesOf(prefix, path, schema, whole),
    ...(schema.items ? innerLines(prefix, `${path}[]`, schema.items, whole) : []),
    ...(typeof rest === 'object' ? innerLines(prefix, `${path}{}`, rest, whole) : []),
  ]
}

function valuesOf({ const: value, enum: values }: Schema): readonly unknown[] {
  return values ?? (value === undefined ? [] : [value])
}

function typeOf(schema: Schema): string {
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return [...new Set(variants.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  return [schema.type ?? (schema.$ref === undefined ? 'any' : 'recursive')].flat().join(' or ')
}
