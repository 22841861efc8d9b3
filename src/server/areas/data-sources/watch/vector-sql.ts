import { identifier, integer, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'

/* Expressions over a vector, for statements of svc and for those that people run: every name has its schema. */

type VectorType = Pick<ResolvedEntry, 'extension_schema' | 'vector_type' | 'dimensions'>

export function sizeOf({ extension_schema }: VectorType, vector: Sql): Sql {
  return sql`${identifier(extension_schema, 'vector_dims')}(${vector})`
}

export function normOf({ extension_schema, vector_type }: VectorType, vector: Sql): Sql {
  return sql`${identifier(extension_schema, vector_type === 'vector' ? 'vector_norm' : 'l2_norm')}(${vector})`
}

export function cosineOf({ extension_schema }: VectorType, a: Sql, b: Sql): Sql {
  return sql`(1 - (${a} operator(${identifier(extension_schema)}.<=>) ${b}))`
}

/** Vectors of so few numbers point to one place by chance. */
const MIN_CONSTANT_DIMENSIONS = 8

/** True if all numbers are the same, which makes the vector parallel to one of ones. Null for other sizes. */
export function isConstant(type: VectorType, vector: Sql): Sql {
  if (type.dimensions < MIN_CONSTANT_DIMENSIONS) return sql`false`
  const name = identifier(type.extension_schema, type.vector_type)
  const ones = sql`pg_catalog.array_fill(1::pg_catalog.float4, array[${integer(type.dimensions)}])::${name}`
  return sql`case when ${sizeOf(type, vector)} = ${integer(type.dimensions)} and ${normOf(type, vector)} > 0
    then pg_catalog.abs(${cosineOf(type, vector, ones)}) > ${script('0.9999')} end`
}
