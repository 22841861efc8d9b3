import type { Role } from '#contract/core/roles.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type FlowRow = {
  browser_hash: Buffer
  provider: string
  nonce: string
  code_verifier: string
  return_to: string
  sealed_return_to: string | null
  link_user_id: string | null
  expires_at: Date
}

/** Inserts a flow and deletes the expired ones. */
export async function insertFlow(db: Querier, flow: FlowRow & { state_hash: Buffer; now: Date }): Promise<void> {
  await db.query(sql`
    with gone as (delete from auth.sign_in_flows where expires_at <= ${flow.now})
    insert into auth.sign_in_flows
      (state_hash, browser_hash, provider, nonce, code_verifier, return_to, sealed_return_to, link_user_id, expires_at)
    values (${flow.state_hash}, ${flow.browser_hash}, ${flow.provider}, ${flow.nonce}, ${flow.code_verifier},
            ${flow.return_to}, ${flow.sealed_return_to}, ${flow.link_user_id}, ${flow.expires_at})`)
}

/** Deletes and returns a flow in one statement, so that only one of concurrent requests gets it. */
export async function takeFlow(db: Querier, stateHash: Buffer): Promise<FlowRow | undefined> {
  const [row] = await db.query<FlowRow>(sql`
    delete from auth.sign_in_flows where state_hash = ${stateHash}
    returning browser_hash, provider, nonce, code_verifier, return_to, sealed_return_to, link_user_id, expires_at`)
  return row
}

export type SignInUser = { id: string; email: string; first_signed_in_at: Date | null }

export async function findByIdentity(tx: Tx, issuer: string, subject: string): Promise<SignInUser | undefined> {
  const [row] = await tx.query<SignInUser>(sql`
    select u.id, u.email, u.first_signed_in_at
    from auth.identities i join auth.users u on u.id = i.user_id
    where i.issuer = ${issuer} and i.subject = ${subject}`)
  return row
}

/** Locks the user's row until the transaction ends, so that concurrent sign-ins see each other's identity. */
export async function lockUser(tx: Tx, id: string): Promise<SignInUser & { bound: boolean }> {
  await tx.query(sql`select from auth.users where id = ${id} for update`)
  const [row] = await tx.query<SignInUser & { bound: boolean }>(sql`
    select id, email, first_signed_in_at,
           exists(select from auth.identities where user_id = ${id}) as bound
    from auth.users where id = ${id}`)
  return row!
}

/** Returns false if the identity is bound already. */
export async function insertIdentity(
  tx: Tx,
  identity: { issuer: string; subject: string; user_id: string; now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into auth.identities (issuer, subject, user_id, created_at)
    values (${identity.issuer}, ${identity.subject}, ${identity.user_id}, ${identity.now})
    on conflict do nothing returning issuer`)
  return rows.length === 1
}

export async function markFirstSignIn(tx: Tx, userId: string, name: string | null, now: Date): Promise<void> {
  await tx.query(sql`
    update auth.users set first_signed_in_at = ${now}, name = coalesce(name, ${name}::text)
    where id = ${userId} and first_signed_in_at is null`)
}

/**
 * Adds the user to the organization of the domain and returns its id. Returns undefined if there is none, or they left
 * it before.
 */
export async function joinByDomain(tx: Tx, userId: string, domain: string, now: Date): Promise<string | undefined> {
  const [row] = await tx.query<{ org_id: string }>(sql`
    insert into auth.memberships (org_id, user_id, role, created_at)
    select d.org_id, ${userId}, 'member', ${now}
    from auth.org_domains d
    where d.domain = ${domain}
      and not exists (select from auth.departures p where p.org_id = d.org_id and p.user_id = ${userId})
    on conflict do nothing
    returning org_id`)
  return row?.org_id
}

export async function findNewestOrg(db: Querier, userId: string): Promise<string | null> {
  const [row] = await db.query<{ org_id: string }>(sql`
    select org_id from auth.memberships where user_id = ${userId} order by created_at desc, org_id desc limit 1`)
  return row?.org_id ?? null
}

export async function findRole(tx: Tx, userId: string, orgId: string): Promise<Role | undefined> {
  const [row] = await tx.query<{ role: Role }>(sql`
    select role from auth.memberships where user_id = ${userId} and org_id = ${orgId}`)
  return row?.role
}

export async function findUserByEmail(db: Querier, email: string): Promise<{ id: string } | undefined> {
  const [row] = await db.query<{ id: string }>(sql`select id from auth.users where email = ${email}`)
  return row
}

/** Copies time and place of the start of session `from`: a session made without a new sign-in must not last longer. */
export async function copySessionStart(tx: Tx, id: string, from: string): Promise<void> {
  await tx.query(sql`
    update auth.sessions s
    set created_at = f.created_at, signed_in_with = f.signed_in_with, signed_in_from = f.signed_in_from
    from auth.sessions f where s.id = ${id} and f.id = ${from}`)
}

type CodeRow = { session_id: string; state: string; expires_at: Date }

export async function insertCode(
  db: Querier,
  code: CodeRow & { hash: Buffer; epoch: string; now: Date },
): Promise<void> {
  await db.query(sql`
    with gone as (delete from auth.sign_in_codes where expires_at <= ${code.now})
    insert into auth.sign_in_codes (hash, epoch, session_id, state, expires_at)
    values (${code.hash}, ${code.epoch}, ${code.session_id}, ${code.state}, ${code.expires_at})`)
}

export async function takeCode(db: Querier, hash: Buffer, epoch: string): Promise<CodeRow | undefined> {
  const [row] = await db.query<CodeRow>(sql`
    delete from auth.sign_in_codes where hash = ${hash} and epoch = ${epoch} returning session_id, state, expires_at`)
  return row
}
