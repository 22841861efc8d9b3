import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { LeavingPerson } from '#ports/eraser.ts'

type Owner = { readonly user_id: string; readonly email: string }

export async function listOwners(db: Querier, orgId: string): Promise<Owner[]> {
  return db.query<Owner>(sql`
    select u.id as user_id, u.email from auth.memberships m join auth.users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'owner' order by u.id`)
}

export async function findPerson(
  db: Querier,
  by: { readonly email: string } | { readonly id: string },
): Promise<LeavingPerson | undefined> {
  const condition = 'id' in by ? sql`id = ${by.id}` : sql`email = ${by.email}`
  const [row] = await db.query<LeavingPerson>(sql`select id, email, name from auth.users where ${condition}`)
  return row
}

/**
 * Returns the organizations whose last owner the person is. Those that are being deleted count too, because their
 * deletion can be undone. Locks the owners' rows, so that no other owner leaves before the transaction ends.
 */
export async function lockSoleOwnerships(tx: Tx, userId: string): Promise<string[]> {
  const owners = await tx.query<{ org_id: string; user_id: string }>(sql`
    select org_id, user_id from auth.memberships
    where role = 'owner' and org_id in (
      select org_id from auth.memberships where user_id = ${userId} and role = 'owner')
    order by org_id, user_id for update`)
  const shared = new Set(owners.filter((owner) => owner.user_id !== userId).map(({ org_id }) => org_id))
  return owners.filter(({ user_id, org_id }) => user_id === userId && !shared.has(org_id)).map(({ org_id }) => org_id)
}

/** Ends every access to the organization. Tokens and approvals of agents go with the memberships. */
export async function endAccess(tx: Tx, orgId: string): Promise<void> {
  await tx.query(sql`delete from auth.invitations where org_id = ${orgId}`)
  await tx.query(sql`delete from auth.org_domains where org_id = ${orgId}`)
  await tx.query(sql`delete from auth.support_sessions where org_id = ${orgId}`)
  await tx.query(sql`
    delete from public.platform_oauth_clients
    where client_id in (select client_id from auth.company_clients where org_id = ${orgId})`)
  await tx.query(sql`delete from auth.memberships where org_id = ${orgId}`)
}

/** The tables of auth that have rows of the organization refer to this row and go with it. */
export async function deleteOrgRow(tx: Tx, orgId: string): Promise<void> {
  await tx.query(sql`delete from auth.orgs where id = ${orgId}`)
}

/** Ends every access of the person, so that they change nothing while they are being forgotten. */
export async function endAccessOfPerson(tx: Tx, userId: string): Promise<void> {
  await tx.query(sql`delete from auth.memberships where user_id = ${userId}`)
  await tx.query(sql`delete from auth.sessions where user_id = ${userId}`)
}

/** Sessions, identities, memberships, tokens and approvals of agents go with the row of the person. */
export async function deletePersonRow(tx: Tx, { id, email }: LeavingPerson): Promise<void> {
  await tx.query(sql`delete from auth.invitations where email = ${email}`)
  await tx.query(sql`delete from auth.mailed_links where email = ${email}`)
  await tx.query(sql`delete from auth.users where id = ${id}`)
}
