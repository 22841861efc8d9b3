import type { Db, Querier } from '../db/db.ts'
import { identifier, type Sql, sql } from '../db/sql.ts'
import { CannotOpen, keyIdOf, type Sealer } from './seal.ts'

type SealedRow = Record<string, string | Buffer>

/**
 * Declares a column of sealed values. Areas take the context from their declaration, so that `svc-server reseal` finds
 * every value and can open it.
 */
export type SealedColumn<Row extends SealedRow = SealedRow> = {
  /** Name of the values in the plural, printed after their number. */
  readonly kind: string
  readonly table: readonly [schema: string, name: string]
  readonly column: string
  readonly primaryKey: readonly string[]
  /** Returns the context that the value of this row is sealed with. */
  context(row: Row): string
}

export type Resealed = {
  moved: number
  /** Values that no configured key opens, by the id of the key they name. */
  unopenable: ReadonlyMap<string, number>
}

const PAGE_ROWS = 200

/**
 * Seals every value of the column under the current key. Each row is changed on its own and only if it still holds the
 * value that was read, so that the work can be interrupted, repeated, and done while the server runs.
 */
export async function resealColumn(db: Db, column: SealedColumn, sealer: Sealer): Promise<Resealed> {
  const unopenable = new Map<string, number>()
  let moved = 0
  for (let page = await readPage(db, column, sealer); page.length > 0; ) {
    for (const row of page) {
      const plain = tryOpen(row.sealed, column.context(row.key), sealer)
      if (plain !== undefined) moved += await replace(db, column, row, sealer.seal(plain, column.context(row.key)))
      else unopenable.set(keyIdOf(row.sealed), (unopenable.get(keyIdOf(row.sealed)) ?? 0) + 1)
    }
    page = await readPage(db, column, sealer, page.at(-1)!.key)
  }
  return { moved, unopenable }
}

/** Opens every value of the column. Returns how many there are, and how many no key opens. */
export async function openColumn(
  db: Db,
  column: SealedColumn,
  sealer: Sealer,
): Promise<{ all: number; closed: number }> {
  const counts = { all: 0, closed: 0 }
  const anyKey = { ...sealer, currentKeyId: '' }
  for (let page = await readPage(db, column, anyKey); page.length > 0; ) {
    counts.all += page.length
    counts.closed += page.filter(({ key, sealed }) => tryOpen(sealed, column.context(key), sealer) === undefined).length
    page = await readPage(db, column, anyKey, page.at(-1)!.key)
  }
  return counts
}

export async function countByKey(db: Querier, { table, column }: SealedColumn): Promise<Map<string, number>> {
  const name = identifier(column)
  const rows = await db.query<{ key_id: string; count: number }>(sql`
    select split_part(${name}, '.', 2) as key_id, count(*) from ${identifier(...table)}
    where ${name} is not null group by 1`)
  return new Map(rows.map(({ key_id, count }) => [key_id, count]))
}

type SealedValue = { key: SealedRow; sealed: string }

async function readPage(db: Db, of: SealedColumn, { currentKeyId }: Sealer, after?: SealedRow): Promise<SealedValue[]> {
  const { table, column, primaryKey } = of
  const names = commaSeparated(primaryKey.map((name) => sql`${identifier(name)}`))
  const start = after ? sql`and (${names}) > (${commaSeparated(primaryKey.map((name) => sql`${after[name]}`))})` : sql``
  const rows = await db.query<Record<string, string | Buffer>>(sql`
    select ${names}, ${identifier(column)} as "sealed value" from ${identifier(...table)}
    where split_part(${identifier(column)}, '.', 2) <> ${currentKeyId} ${start}
    order by ${names} limit ${PAGE_ROWS}`)
  return rows.map(({ 'sealed value': sealed, ...key }) => ({ key, sealed: String(sealed) }))
}

async function replace(db: Db, of: SealedColumn, { key, sealed }: SealedValue, resealed: string): Promise<number> {
  const { table, column, primaryKey } = of
  const isRow = primaryKey.map((name) => sql`${identifier(name)} = ${key[name]}`).reduce((a, b) => sql`${a} and ${b}`)
  const changed = await db.query(sql`
    update ${identifier(...table)} set ${identifier(column)} = ${resealed}
    where ${isRow} and ${identifier(column)} = ${sealed} returning 1`)
  return changed.length
}

function commaSeparated(parts: readonly Sql[]): Sql {
  return parts.reduce((a, b) => sql`${a}, ${b}`)
}

function tryOpen(sealed: string, context: string, sealer: Sealer): string | undefined {
  try {
    return sealer.open(sealed, context)
  } catch (error) {
    if (error instanceof CannotOpen) return undefined
    throw error
  }
}
