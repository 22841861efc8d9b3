import { z } from 'zod'
import { ERRORS } from '#contract/core/errors.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema
export type Reference = { readonly $ref: string }

/** Makes JSON Schemas and collects the schemas they refer to in `shared`. */
export type Schemas = {
  readonly shared: Record<string, JsonSchema>
  /** `owner` is the name in `shared` of a schema that is recursive or has parts that are used twice. */
  of(schema: z.ZodType, io: 'input' | 'output', owner: string): JsonSchema
}

export const PROBLEM: Reference = { $ref: '#/components/schemas/Problem' }

export function createSchemas(): Schemas {
  const shared: Record<string, JsonSchema> = { Problem: problemSchema() }
  return {
    shared,
    of(type, io, owner) {
      const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(type, { io, unrepresentable: 'any', override })
      const withMovedRefs = (schema: JsonSchema) => moveRefs(schema, owner) as JsonSchema
      for (const [name, schema] of Object.entries($defs)) shared[`${owner}.${name}`] = withMovedRefs(schema)
      if (refersTo([root, $defs], '#')) shared[owner] = withMovedRefs(root)
      return withMovedRefs(root)

      // A later version may add keys to an answer, so the schema must allow more keys.
      function override({ jsonSchema }: { jsonSchema: JsonSchema }): void {
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      }
    },
  }
}

/** Rewrites references, because `#` means the whole document once the schema is part of it. */
function moveRefs(value: unknown, owner: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moveRefs(item, owner))
  if (typeof value !== 'object' || value === null) return value
  const moved = Object.entries(value).map(([key, item]) => [
    key,
    key === '$ref' && typeof item === 'string' ? moveRef(item, owner) : moveRefs(item, owner),
  ])
  return Object.fromEntries(moved)
}

function moveRef(ref: string, owner: string): string {
  const name = ref.replace(/^#\/\$defs\//, '')
  return `#/components/schemas/${name === '#' ? owner : `${owner}.${name}`}`
}

function refersTo(value: unknown, ref: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => (key === '$ref' && item === ref) || refersTo(item, ref))
}

function problemSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'Problem details (RFC 9457) with a stable `code`.',
    properties: {
      type: { type: 'string', format: 'uri', description: 'A name for the kind of problem' },
      title: { type: 'string', description: 'The kind of problem in words' },
      status: { type: 'integer', description: 'The HTTP status' },
      detail: { type: 'string', description: 'What is wrong with this request' },
      code: { type: 'string', enum: Object.keys(ERRORS), description: 'Stable: decide by this, never by the words' },
      request_id: { type: 'string', description: 'Finds the request in the logs' },
      errors: { type: 'array', description: 'Where there are several faults, each of them', items: faultSchema() },
    },
    required: ['type', 'title', 'status', 'detail', 'code'],
  }
}

function faultSchema(): JsonSchema {
  return {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Keys joined by dots; empty for the input as a whole' },
      message: { type: 'string' },
    },
    required: ['path', 'message'],
  }
}
