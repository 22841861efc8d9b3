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

const ID_CHARACTERS = 26

/** The first and the last id that a typed text can be the beginning of. */
export type IdRange = { readonly from: string; readonly to: string }

/** Returns undefined for a text that is not the beginning of an id with the prefix. */
export function idsBeginningWith(prefix: IdPrefix, text: string): IdRange | undefined {
  const typed = text.toLowerCase()
  const length = prefix.length + 1 + ID_CHARACTERS
  if (!typed.startsWith(`${prefix}_`) || typed.length > length || !/^[0-9a-z]*$/.test(typed.slice(prefix.length + 1)))
    return undefined
  return { from: typed, to: typed.padEnd(length, 'z') }
}
