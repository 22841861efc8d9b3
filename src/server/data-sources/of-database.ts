import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type SourceState = { enabled: boolean; exposed: boolean }

/** What the databases ask of us: whether one of theirs is a source, and that it no longer be one. */
export const sourcesOfDatabases = {
  async statesOf(db: Querier, orgId: string, names: readonly string[]): Promise<ReadonlyMap<string, SourceState>> {
    const rows = await db.query<SourceState & { database_name: string }>(sql`
      select database_name, enabled, exposed from data_sources.sources
      where org_id = ${orgId} and database_name = any(${names})`)
    return new Map(rows.map(({ database_name, enabled, exposed }) => [database_name, { enabled, exposed }]))
  },

  /** The row is locked first: exposing it at the same moment waits, and then finds none. */
  async forgetUnlessExposed(tx: Tx, orgId: string, name: string): Promise<boolean> {
    const [row] = await tx.query<{ id: string; open: boolean }>(sql`
      select id, exposed and enabled as open from data_sources.sources
      where org_id = ${orgId} and database_name = ${name} for update`)
    if (row?.open) return false
    if (row) await tx.query(sql`delete from data_sources.sources where id = ${row.id}`)
    return true
  },
}
