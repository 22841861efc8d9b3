import { createEmbeddings, MAX_TEXT_LENGTH, MAX_TEXTS } from '#contract/ai.ts'
import type { Row } from './rows.ts'

/** Leaves room for the model's name and the other fields of the request. */
const MAX_BODY_BYTES = createEmbeddings.bodyLimit - 1024

/** Cuts a text to the length that the gateway takes, never inside a character. */
export function cutText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text
  const end = /[\uD800-\uDBFF]/.test(text[MAX_TEXT_LENGTH - 1]!) ? MAX_TEXT_LENGTH - 1 : MAX_TEXT_LENGTH
  return text.slice(0, end)
}

/** Splits rows into calls that the gateway takes: by number of texts and by size. */
export function toBatches(rows: readonly Row[]): Row[][] {
  const batches: Row[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row.text)) + 1
    const last = batches.at(-1)
    if (!last || last.length >= MAX_TEXTS || bytes + size > MAX_BODY_BYTES) {
      batches.push([row])
      bytes = size
    } else {
      last.push(row)
      bytes += size
    }
  }
  return batches
}
