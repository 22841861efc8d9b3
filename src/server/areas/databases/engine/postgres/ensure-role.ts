import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'

/**
 * Creates a role of a tenant, or gives it these attributes if an interrupted attempt left it. Returns whether it was there.
 * Only a superuser may write NOSUPERUSER in ALTER ROLE.
 */
export async function ensureRole(db: Db, role: string, attributes: string): Promise<boolean> {
  const isThere = (await db.query(sql`select from pg_catalog.pg_roles where rolname = ${role}`)).length === 1
  const name = identifier(role).text
  const statement = isThere ? `alter role ${name}` : `create role ${name} nosuperuser`
  await db.query(script(`${statement} nocreatedb nocreaterole ${attributes}`))
  // A platform role that is no superuser may act on what belongs to roles it is a member of.
  await db.query(script(`grant ${name} to current_user`))
  return isThere
}
