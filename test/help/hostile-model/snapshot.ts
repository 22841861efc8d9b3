import type { Db } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'

type Row = Readonly<Record<string, unknown>>
export type Snapshot = {
  /** By table: the number of rows and a digest of all of them. */
  readonly digests: ReadonlyMap<string, string>
  /** By table that the agent may write: its rows. */
  readonly rows: ReadonlyMap<string, readonly Row[]>
}

/** The last use of an API token, which the calls of the proof itself change. */
const LAST_USE = ['last_used_at', 'last_used_from']

/** Reads every table of the database: the `written` ones whole, and of all others a digest. */
export async function takeSnapshot(db: Db, written: readonly string[]): Promise<Snapshot> {
  const digests = new Map<string, string>()
  const rows = new Map<string, readonly Row[]>()
  for (const { schema, name } of await listTables(db)) {
    const table = identifier(schema, name)
    const path = `${schema}.${name}`
    if (written.includes(path)) {
      const found = await db.query<{ row: Row }>(sql`select to_jsonb(t) as row from ${table} t`)
      rows.set(
        path,
        found.map(({ row }) => row),
      )
    } else {
      const [digest] = await db.query<{ digest: string }>(sql`
        select count(*) || ' ' || coalesce(md5(string_agg(row, '|' order by row)), '') as digest
        from (select (to_jsonb(t) - ${path === 'auth.api_tokens' ? LAST_USE : []}::text[])::text as row from ${table} t) r`)
      digests.set(path, digest!.digest)
    }
  }
  return { digests, rows }
}

async function listTables(db: Db): Promise<{ schema: string; name: string }[]> {
  return db.query(sql`
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    order by 1, 2`)
}

/** Returns the tables that are not the same, of those that nothing may change. */
export function changedTables(before: Snapshot, after: Snapshot, ignored: readonly string[]): string[] {
  return [...after.digests]
    .filter(([table, digest]) => before.digests.get(table) !== digest && !ignored.includes(table))
    .map(([table, digest]) => `${table}: ${before.digests.get(table)} became ${digest}`)
}

/** Returns the rows of a table that were added, changed (as they were and as they are) or deleted. */
export function changedRows(before: Snapshot, after: Snapshot, table: string): Row[] {
  const [former, current] = [before.rows.get(table) ?? [], after.rows.get(table) ?? []]
  const without = (rows: readonly Row[], others: readonly Row[]) => {
    const texts = new Set(others.map((row) => JSON.stringify(row)))
    return rows.filter((row) => !texts.has(JSON.stringify(row)))
  }
  return [...without(current, former), ...without(former, current)]
}
