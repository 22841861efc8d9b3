import { type Connection, quoteText } from './connection.ts'
import type { FoundTable } from './find-table.ts'
import { readMark } from './switch/column-mark.ts'

/** Apart from the mark of a switch, which says that a column may be dropped once no entry searches it. */
const PREFIX = 'svc embedded: '
const LOCK_WAIT_MS = 500

/**
 * Returns the model that the comment of a vector column names. Undefined if it names none, or two that differ: then only a
 * person knows.
 */
export function readModel(comment: string | null): string | undefined {
  const own = comment?.split('\n').find((line) => line.startsWith(PREFIX))
  const models = new Set([own?.slice(PREFIX.length), readMark(comment)?.model].filter((model) => model !== undefined))
  return models.size === 1 ? [...models][0] : undefined
}

/** Puts the model into a comment, or takes it out, and leaves the lines of other people. */
function writeModel(comment: string | null, model: string | undefined): string {
  const others = (comment ?? '').split('\n').filter((line) => line !== '' && !line.startsWith(PREFIX))
  return [...others, ...(model === undefined ? [] : [PREFIX + model])].join('\n')
}

/**
 * Records the model in the comment of the column before the first vector is written, so that `svc datasource suggest` need
 * not ask. Vectors that were there already may be of any model: then a record of another one is taken out. Nothing is
 * recorded where another session or a missing right prevents it, because the vectors are what the person asked for.
 */
export async function recordModel(
  db: Connection,
  { table, column }: Pick<FoundTable, 'table' | 'column'>,
  columnName: string,
  model: string,
): Promise<void> {
  const [found] = await db.query<{ comment: string | null; has_vectors: boolean }>(
    `select col_description($1::regclass, a.attnum) as comment,
       exists (select from ${table} where ${column} is not null) as has_vectors
     from pg_attribute a where a.attrelid = $1::regclass and a.attname = $2`,
    [table, columnName],
  )
  const before = found?.comment ?? null
  const isOnly = found?.has_vectors === false || readModel(before) === model
  const after = writeModel(before, isOnly ? model : undefined)
  if (after === (before ?? '')) return
  const comment = `comment on column ${table}.${column} is ${quoteText(after)}`
  await db.query(`set local lock_timeout = '${LOCK_WAIT_MS}ms'; ${comment}`).catch(() => [])
}
