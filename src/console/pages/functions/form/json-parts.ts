export type Json = Record<string, unknown>

/** Returns the fields of an object, and none of anything else. No part of a schema of an app can be relied on. */
export function fieldsOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
