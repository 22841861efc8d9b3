import type { Role } from '#contract/core/roles.ts'
import type { PageQuery } from '#edge/route/paging.ts'
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
  { before, limit }: PageQuery,
): Promise<(InvitationRow & { hash: Buffer })[]> {
  return db.query(sql`
    select ${COLUMNS}, hash from auth.invitations
    where org_id = ${orgId} and epoch = ${epoch} and accepted_at is null and revoked_at is null and expires_at > ${now}
      and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** Returns the digest of the token that stops working, or undefined when there is no such open invitation. */
export async function revokeInvitationRow(tx: Tx, orgId: string, id: string, now: Date): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ hash: Buffer }>(sql`
    update auth.invitations set revoked_at = ${now}
    where id = ${id} and org_id = ${orgId} and accepted_at is null and revoked_at is null
    returning hash`)
  return row?.hash
}

/** The open invitation, locked until the transaction ends. */
export async function lockOpenInvitation(
  tx: Tx,
  { org_id, id, epoch, now }: { org_id: string; id: string; epoch: string; now: Date },
): Promise<(InvitationRow & { hash: Buffer }) | undefined> {
  const [row] = await tx.query<InvitationRow & { hash: Buffer }>(sql`
    select ${COLUMNS}, hash from auth.invitations
    where id = ${id} and org_id = ${org_id} and epoch = ${epoch} and accepted_at is null and revoked_at is null
      and expires_at > ${now}
    for update`)
  return row
}

export async function replaceInvitationToken(
  tx: Tx,
  { id, hash, expires_at }: { id: string; hash: Buffer; expires_at: Date },
): Promise<void> {
  await tx.query(sql`
    update auth.invitations set hash = ${hash}, expires_at = ${expires_at} where id = ${id}`)
}

/** Until the transaction ends nobody else counts or adds invitations for this address. */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`invitations of ${email}`}, 0))`)
}

/** Counts the mails about invitations that were queued for the address since then, in all organizations. */
export async function countMails(tx: Tx, email: string, since: Date): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select coalesce(sum(mails), 0)::int as count from auth.invitations
    where email = ${email} and mailed_at > ${since}`)
  return row!.count
}

export async function noteMail(tx: Tx, id: string, { now, since }: { now: Date; since: Date }): Promise<void> {
  await tx.query(sql`
    update auth.invitations set mails = case when mailed_at > ${since} then mails + 1 else 1 end, mailed_at = ${now}
    where id = ${id}`)
}

export type InvitationDetails = InvitationRow & {
  accepted_at: Date | null
  revoked_at: Date | null
  org_name: string
  /** Null when the person is not known any more. */
  inviter: { name: string | null; email: string } | null
}

/** Finds an invitation by its token, also one that cannot be used any more. */
export async function findInvitation(
  db: Querier,
  { hash, epoch }: { hash: Buffer; epoch: string },
): Promise<InvitationDetails | undefined> {
  type Row = Omit<InvitationDetails, 'inviter'> & { inviter_name: string | null; inviter_email: string | null }
  // The inviter acted in a session, or with an API token of theirs.
  const [row] = await db.query<Row>(sql`
    select i.id, i.org_id, i.email, i.role, i.invited_by, i.created_at, i.expires_at, i.accepted_at, i.revoked_at,
      o.name as org_name, u.name as inviter_name, u.email as inviter_email
    from auth.invitations i
    join auth.orgs o on o.id = i.org_id
    left join auth.api_tokens t on t.id = i.invited_by
    left join auth.users u on u.id = coalesce(t.user_id, i.invited_by)
    where i.hash = ${hash} and i.epoch = ${epoch}`)
  if (!row) return undefined
  const { inviter_name: name, inviter_email: email, ...shown } = row
  return { ...shown, inviter: email === null ? null : { name, email } }
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

/** Counts the people who signed in with an address of the domain. */
export async function countPeopleOf(tx: Tx, domain: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from auth.users
    where coalesce(first_signed_in_at, email_confirmed_at) is not null
      and lower(split_part(email, '@', 2)) = ${domain}`)
  return row!.count
}

/** Returns the user's email if an identity provider verified it. */
export async function findVerifiedEmail(db: Querier, userId: string): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>(sql`
    select email from auth.users where id = ${userId} and first_signed_in_at is not null`)
  return row?.email
}

/** Returns the user's email if an identity provider verified it or a mailed link confirmed it, which opens invitations. */
export async function findConfirmedEmail(db: Querier, userId: string): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>(sql`
    select email from auth.users
    where id = ${userId} and coalesce(first_signed_in_at, email_confirmed_at) is not null`)
  return row?.email
}
