import { identifier, integer, type Sql, sql } from '#lib/db/sql.ts'
import { asText } from './column-text.ts'
import type { ResolvedEntry } from './entry.ts'

/** Models read about as much of a text. */
const MAX_CHARACTERS = 4_000

/**
 * The content that is most likely what was embedded: all columns of text but the id, otherwise all columns but the id,
 * otherwise the id. `from` has the columns `c0`, `c1` and so on.
 */
export function embeddedText({ content }: Pick<ResolvedEntry, 'content'>, from: string): Sql {
  const columns = content.map(({ type }, i) => ({ type, i })).slice(content.length > 1 ? 1 : 0)
  const texts = columns.filter(({ type }) => /^(?:text|character|citext)/.test(type))
  const parts = (texts.length > 0 ? texts : columns)
    .map(({ i }) => asText(sql`${identifier(from, `c${i}`)}`))
    .reduce((all, one) => sql`${all}, ${one}`)
  return sql`pg_catalog.left(pg_catalog.concat_ws(E'\\n', ${parts}), ${integer(MAX_CHARACTERS)})`
}
