import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export async function orgExists(db: Querier, id: string): Promise<boolean> {
  const rows = await db.query(sql`select from auth.orgs where id = ${id}`)
  return rows.length > 0
}
