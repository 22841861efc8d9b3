import pg from 'pg'

const { builtins } = pg.types
/** Types whose values are parsed in linear time: booleans, numbers, JSON, and lists of numbers, names and texts. */
const PARSED = new Set<number>([
  builtins.BOOL,
  builtins.INT2,
  builtins.INT4,
  builtins.INT8,
  builtins.OID,
  builtins.FLOAT4,
  builtins.FLOAT8,
  builtins.JSON,
  builtins.JSONB,
  1003, // name[]
  1005, // int2[]
  1007, // int4[]
  1009, // text[]
  1016, // int8[]
  1028, // oid[]
])

/**
 * Parsers for answers of an embedded engine. One that was taken over chooses the type and the text of a value, and the
 * driver's parser for dates takes minutes for a long row of digits. Every type that is not listed stays text.
 */
export const OWN_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSED.has(oid) ? (pg.types.getTypeParser(oid, format) as (value: string) => unknown) : (value: string) => value,
}
