import { hash } from 'node:crypto'

/** Postgres cuts names after this many bytes. */
const MAX_NAME_BYTES = 63
const DIGEST_LENGTH = 8

/** Names the column for the vectors of a model: `embedding_openai_text_embedding_3_small`. */
export function columnNameFor(model: string): string {
  return shorten(`embedding_${model.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`)
}

export function indexNameFor(table: string, column: string, operatorClass: string): string {
  return shorten(`${table}_${column}_${operatorClass}_idx`)
}

/** Names trigger and function. Triggers run in the order of their names: this one after those that correct the text. */
export function triggerNameFor(schema: string, table: string, column: string): string {
  return `zz_svc_clear_${hash('sha256', JSON.stringify([schema, table, column])).slice(0, 16)}`
}

/** Cuts a name that is too long, and adds a digest so that two long names stay different. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const start = Buffer.from(name).subarray(0, MAX_NAME_BYTES - DIGEST_LENGTH - 1)
  // A character that was cut in the middle is replaced by one that takes up to three bytes.
  return `${start.toString().replaceAll('\uFFFD', '')}_${hash('sha256', name).slice(0, DIGEST_LENGTH)}`
}
