import type { IdPrefix } from '#contract/core/ids.ts'
import { makeId } from '#lib/ids.ts'

/** Makes an id with one of the product's prefixes. Ids of one process sort in the order they were made. */
export function newId(prefix: IdPrefix, now?: number): string {
  return makeId(prefix, now)
}
