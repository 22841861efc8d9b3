import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import type { Managed, PreviewRole } from '../engine.ts'

type Owner = Pick<Managed, 'owner_role'>

/** Returns the name of the role that previews of a database run as. */
export function previewRoleOf({ owner_role }: Owner): string {
  return owner_role.replace(/^o_/, 'p_')
}

/**
 * Creates the role of previews where it is missing. It cannot log in and has no rights: a transaction of the owner, who is
 * its member, grants it some and is rolled back. It is not the reader, because a member of the reader could change the
 * reader's password and settings.
 */
export async function ensurePreviewRole(db: Db, managed: Owner): Promise<PreviewRole> {
  const role = previewRoleOf(managed)
  const name = identifier(role).text
  if (!(await isMember(db, managed))) {
    await createOnce(db, `create role ${name} nologin nosuperuser nocreatedb nocreaterole noinherit`)
    // A platform role that is no superuser may act on what belongs to roles it is a member of.
    await db.query(script(`grant ${name} to current_user`))
    await db.query(script(`grant ${name} to ${identifier(managed.owner_role).text}`))
  }
  return { role, become: script(`set local role ${name}`), isReader: false }
}

async function isMember(db: Db, managed: Owner): Promise<boolean> {
  const rows = await db.query(sql`
    select from pg_catalog.pg_auth_members m
    join pg_catalog.pg_roles r on r.oid = m.roleid join pg_catalog.pg_roles o on o.oid = m.member
    where r.rolname = ${previewRoleOf(managed)} and o.rolname = ${managed.owner_role}`)
  return rows.length > 0
}

/** Another process may create the same role at the same time. */
async function createOnce(db: Db, statement: string): Promise<void> {
  await db.query(script(statement)).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && EXISTS.has(error.code))) throw error
  })
}
// https://www.postgresql.org/docs/15/errcodes-appendix.html: such a role exists; its row was written meanwhile
const EXISTS = new Set<unknown>(['42710', '23505'])
