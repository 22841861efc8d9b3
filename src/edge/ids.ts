import type { IdPrefix } from '#contract/core/ids.ts'
import { lowestIdAt, makeId } from '#lib/ids.ts'

export { timeOfId } from '#lib/ids.ts'

/** Makes an id with one of the product's prefixes. Ids of one process sort in the order they were made. */
export function newId(prefix: IdPrefix, now?: number): string {
  return makeId(prefix, now)
}

/** Returns the border between the ids that were made before `at` and the others, to find rows by their age. */
export function lowestId(prefix: IdPrefix, at: Date): string {
  return lowestIdAt(prefix, at.getTime())
}
