import { MAX_TEXT_LENGTH } from '#contract/ai.ts'
import type { Connection } from './connection.ts'
import type { FoundTable } from './find-table.ts'

/** A row without a vector. The digest tells whether its text was changed before the vector is written. */
export type Row = { keys: readonly string[]; text: string; digest: string }

/** Reads the next rows without a vector, in the order of their keys, after the row with the keys `after`. */
export async function readRows(
  db: Connection,
  { table, keys, text, column }: FoundTable,
  after: readonly string[] | undefined,
  limit: number,
): Promise<Row[]> {
  const names = keys.map(({ name }) => `t.${name}`).join(', ')
  const values = keys.map(({ type }, place) => `$${place + 1}::${type}`).join(', ')
  return await db.query<Row>(
    `select array[${keys.map(({ name }) => `t.${name}::text`).join(', ')}] as keys,
       left(${text}, ${MAX_TEXT_LENGTH}) as text, md5(${text}) as digest
     from ${table} t where t.${column} is null ${after ? `and (${names}) > (${values})` : ''}
     order by ${names} limit ${limit}`,
    after ?? [],
  )
}

export async function countRows(db: Connection, { table, column, text }: FoundTable) {
  const [row] = await db.query<{ rows: number; empty: number }>(
    `select count(*)::int as rows, (count(*) filter (where ${text} = ''))::int as empty
     from ${table} t where t.${column} is null`,
  )
  return row!
}

/**
 * Writes vectors in one statement and returns how many. A row that got a vector or another text meanwhile is left as it
 * is; so is a row whose place another row has taken.
 */
export async function writeVectors(
  db: Connection,
  { table, keys, text, column, vectorType }: FoundTable,
  rows: readonly Row[],
  vectors: readonly (readonly number[])[],
): Promise<number> {
  const keyColumns = keys.map((_, place) => `k${place}`)
  const same = keys.map(({ name, type }, place) => `t.${name} = f.k${place}::${type}`).join(' and ')
  const written = await db.query(
    `update ${table} t set ${column} = f.v::${vectorType}
     from unnest(${['v', 'digest', ...keyColumns].map((_, place) => `$${place + 1}::text[]`).join(', ')})
       as f (v, digest, ${keyColumns.join(', ')})
     where ${same} and t.${column} is null and md5(${text}) = f.digest returning 1`,
    [
      vectors.map((vector) => JSON.stringify(vector)),
      rows.map(({ digest }) => digest),
      ...keys.map((_, place) => rows.map((row) => row.keys[place])),
    ],
  )
  return written.length
}
