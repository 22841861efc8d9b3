import { ServiceError } from '#contract/core/errors.ts'

/** The page that a store reads: the id that it starts after, if any, and the most rows that are shown. */
export type PageQuery = { readonly before: string | null; readonly limit: number }

/** Returns the id that a page starts after. Ids sort by age, so the cursor is the last id of the page before. */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!/^c1:[a-z]{2,4}_[0-9a-z]{26}$/.test(text)) {
    throw new ServiceError('INVALID_REQUEST', 'cursor: must be a `next_cursor` of this list')
  }
  return text.slice(3)
}

/** Makes a page of rows. Stores fetch one row more than `limit`, which shows whether there is a next page. */
export function toPage<Row extends { id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { items: shown.map(present), next_cursor: last ? toCursor(last.id) : null }
}

/** Makes the cursor of the page after the item with this id. */
export function toCursor(id: string): string {
  return Buffer.from(`c1:${id}`).toString('base64url')
}
