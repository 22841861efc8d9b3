import type { Role } from '#contract/core/roles.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type InvitationRow = {
  id: string
  org_id: string
  email: string
  role: Role
  invited_by: string
  created_at: Date
  expires_at: Date
}

const COLUMNS = sql`id, org_id, email, role, invited_by, created_at, expires_at`

export async function insertInvitation(tx: Tx, row: InvitationRow & { hash: Buffer; epoch: string }): Promise<void> {
  await tx.query(sql`
    insert into auth.invitations (id, org_id, email, role, hash, epoch, invited_by, created_at, expires_at)
    values (${row.id}, ${row.org_id}, ${row.email}, ${row.role}, ${row.hash}, ${row.epoch}, ${row.invited_by},
            ${row.created_at}, ${row.expires_at})`)
}

export async function pageInvitations(
  db: Querier,
  orgId: string,
  epoch: string,
  now: Date,
  before: string | null,
  limit: number,
): Promise<InvitationRow[]> {
  return db.query<InvitationRow>(sql`
    select ${COLUMNS} from auth.invitations
    where org_id = ${orgId} and epoch = ${epoch} and accepted_at is null and revoked_at is null and expires_at > ${now}
      and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

export async function revokeInvitationRow(tx: Tx, orgId: string, id: string, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update auth.invitations set revoked_at = ${now}
    where id = ${id} and org_id = ${orgId} and accepted_at is null and revoked_at is null
    returning id`)
  return rows.length === 1
}

/**
 * Marks an invitation for this verified email as accepted, in one statement so that only one of concurrent calls
 * succeeds.
 */
export async function consumeInvitation(
  tx: Tx,
  { hash, epoch, email, now }: { hash: Buffer; epoch: string; email: string; now: Date },
): Promise<InvitationRow | undefined> {
  const [row] = await tx.query<InvitationRow>(sql`
    update auth.invitations set accepted_at = ${now}
    where hash = ${hash} and epoch = ${epoch} and email = ${email}
      and accepted_at is null and revoked_at is null and expires_at > ${now}
    returning ${COLUMNS}`)
  return row
}

/** Returns the user's email if an identity provider verified it. */
export async function findVerifiedEmail(tx: Tx, userId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ email: string }>(sql`
    select email from auth.users where id = ${userId} and first_signed_in_at is not null`)
  return row?.email
}
