import { type Sql, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'

/** Asks whether another session uses the table at this moment. Everybody may read which relations are locked. */
export function busyStatement({ oid }: Pick<ResolvedEntry, 'oid'>): Sql {
  return sql`
    select exists (
      select from pg_catalog.pg_locks as held
      where held.locktype = 'relation' and held.relation = ${oid}::pg_catalog.oid
        and held.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
        and held.pid <> pg_catalog.pg_backend_pid()) as busy`
}
