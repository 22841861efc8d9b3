import { ServiceError } from '#contract/core/errors.ts'

/** Ids sort by age, so the last id of a page is the whole cursor; it is opaque to callers all the same. */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!/^c1:[a-z]{2,4}_[0-9a-z]{26}$/.test(text)) {
    throw new ServiceError('INVALID_REQUEST', 'cursor: not a `next_cursor` of this list')
  }
  return text.slice(3)
}

/** Stores fetch one row more than asked for: it tells whether there is a next page. */
export function toPage<Row extends { id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const more = rows.length > limit ? shown.at(-1) : undefined
  return { items: shown.map(present), next_cursor: more ? Buffer.from(`c1:${more.id}`).toString('base64url') : null }
}
