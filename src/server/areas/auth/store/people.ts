import type { Role } from '#contract/core/roles.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

// In both `ensure` statements the update changes nothing. `do nothing` would not return the row that exists.

type UserRow = { id: string; email: string; name: string | null }

/**
 * Returns the user with this email, created if there is none. An existing user keeps their name, and stays a person.
 */
export async function ensureUser(tx: Tx, user: UserRow & { created_at: Date; is_program?: boolean }): Promise<UserRow> {
  const [row] = await tx.query<UserRow>(sql`
    insert into auth.users (id, email, name, created_at, is_program)
    values (${user.id}, ${user.email}, ${user.name}, ${user.created_at}, ${user.is_program ?? false})
    on conflict (email) do update set email = excluded.email
    returning id, email, name`)
  return row!
}

/** Adds a member and returns their role. An existing member keeps the role they have. */
export async function ensureMember(
  tx: Tx,
  member: { org_id: string; user_id: string; role: Role; created_at: Date },
): Promise<Role> {
  const [row] = await tx.query<{ role: Role }>(sql`
    insert into auth.memberships as existing (org_id, user_id, role, created_at)
    values (${member.org_id}, ${member.user_id}, ${member.role}, ${member.created_at})
    on conflict (org_id, user_id) do update set role = existing.role
    returning role`)
  return row!.role
}

/** Locks the user's row before counting, so that concurrent requests cannot exceed the limit together. */
export async function lockAndCountOwnedOrgs(tx: Tx, userId: string): Promise<number> {
  await tx.query(sql`select from auth.users where id = ${userId} for update`)
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from auth.memberships where user_id = ${userId} and role = 'owner'`)
  return row!.count
}
