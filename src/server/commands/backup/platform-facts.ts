import type { Querier } from '#lib/db/db.ts'
import { nameOf } from '#lib/db/migrate/plan.ts'
import { readApplied } from '#lib/db/migrate/table.ts'
import { identifier, sql } from '#lib/db/sql.ts'

/** A managed database as the platform's snapshot knows it. */
export type KnownDatabase = {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly state: string
  readonly physical_name: string
}

export type Facts = {
  readonly migrations: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  readonly databases: readonly KnownDatabase[]
}

/** Reads what a backup says about the platform's database. */
export async function readFacts(db: Querier): Promise<Facts> {
  const migrations = (await readApplied(db)).map(nameOf)
  const databases = await db.query<KnownDatabase>(sql`
    select id, org_id, name, state, physical_name from databases.databases order by id`)
  return { migrations, counts: await countTables(db), databases }
}

/** Counts the rows of every table of the platform. */
export async function countTables(db: Querier): Promise<Record<string, number>> {
  const tables = await db.query<{ schema: string; name: string }>(sql`
    select n.nspname as schema, c.relname as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'svc_restore')
    order by 1, 2`)
  const counts: Record<string, number> = {}
  for (const { schema, name } of tables) {
    const [row] = await db.query<{ rows: number }>(sql`select count(*) as rows from ${identifier(schema, name)}`)
    counts[`${schema}.${name}`] = row!.rows
  }
  return counts
}
