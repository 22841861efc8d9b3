import type { Role, Scope } from '#contract/core/roles.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ClientDocument } from '../clients/client.ts'

type GrantRow = {
  id: string
  org_id: string
  user_id: string
  role: Role
  client_id: string
  redirect_host: string
  resource: string
  scopes: Scope[]
  identity_digest: string | null
  /** Whether the client registered itself. */
  is_registered: boolean
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}

export async function findLiveGrant(db: Querier, id: string, epoch: string, now: Date): Promise<GrantRow | undefined> {
  const [row] = await findLiveGrants(db, [id], epoch, now)
  return row
}

/**
 * Finds those of the grants that are neither revoked nor expired, of clients that still exist and are active, with the
 * users' current roles. In any order.
 */
export function findLiveGrants(db: Querier, ids: readonly string[], epoch: string, now: Date): Promise<GrantRow[]> {
  return db.query<GrantRow>(sql`
    select g.id, g.org_id, g.user_id, m.role, g.client_id, g.redirect_host, g.resource, g.scopes, g.identity_digest,
           c.registered_from is not null as is_registered, g.created_at, g.expires_at, g.last_used_at
    from public.platform_access_grants g
    join auth.memberships m on m.org_id = g.org_id and m.user_id = g.user_id
    left join public.platform_oauth_clients c on c.client_id = g.client_id
    where g.id = any(${[...ids]}) and g.epoch = ${epoch} and g.revoked_at is null and g.expires_at > ${now}
      and c.is_active is not false
      and (g.document_digest is not null or (c.client_id is not null and (c.expires_at is null or c.expires_at > ${now})))`)
}

type Insert = {
  id: string
  org_id: string
  user_id: string
  client_id: string
  client_name: string
  redirect_host: string
  resource: string
  scopes: readonly string[]
  epoch: string
  document: ClientDocument | undefined
  connected_from: string
  connected_with: string | null
  /** The identity provider that vouched for it. Absent where the person approved it. */
  vouched_by?: string
  created_at: Date
  expires_at: Date
}

export async function insertGrant(tx: Tx, grant: Insert): Promise<void> {
  const { document } = grant
  await tx.query(sql`
    insert into public.platform_access_grants
      (id, org_id, user_id, client_id, client_name, redirect_host, resource, scopes, epoch,
       document, document_digest, identity_digest, connected_from, connected_with, vouched_by, created_at, expires_at)
    values (${grant.id}, ${grant.org_id}, ${grant.user_id}, ${grant.client_id}, ${grant.client_name},
            ${grant.redirect_host}, ${grant.resource}, ${grant.scopes}, ${grant.epoch},
            ${document ? JSON.stringify(document.content) : null}, ${document?.digest ?? null},
            ${document?.identityDigest ?? null}, ${grant.connected_from}, ${grant.connected_with},
            ${grant.vouched_by ?? null}, ${grant.created_at}, ${grant.expires_at})`)
}

type RevokedGrant = { org_id: string; user_id: string; client_name: string; vouched_by: string | null }

/** Revokes a grant with its codes and refresh tokens. Returns whose it was, or undefined if it was revoked before. */
export async function revokeGrant(
  tx: Tx,
  of: { id: string; now: Date; org_id?: string; user_id?: string },
): Promise<RevokedGrant | undefined> {
  const [row] = await tx.query<RevokedGrant>(sql`
    update public.platform_access_grants set revoked_at = ${of.now}
    where id = ${of.id} and revoked_at is null
      and (${of.org_id ?? null}::text is null or org_id = ${of.org_id ?? null})
      and (${of.user_id ?? null}::text is null or user_id = ${of.user_id ?? null})
    returning org_id, user_id, client_name, vouched_by`)
  if (row) await tx.query(sql`delete from auth.oauth_artifacts where grant_id = ${of.id}`)
  return row
}

/** Locks grants in the order of their ids, in which they are also ended, so that nobody waits in a circle. */
export async function lockGrants(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    select from public.platform_access_grants where id = any(${[...ids]}) order by id for no key update`)
}

/** Records who ended a grant that the company made, so that the company cannot make it again. */
export async function refuseGrant(tx: Tx, id: string, by: string): Promise<void> {
  await tx.query(sql`update public.platform_access_grants set refused_by = ${by} where id = ${id}`)
}

/**
 * Lets the company make the grants of an agent again that somebody ended. `id` is one of them. With `by`, only those
 * that this person ended. Returns how many.
 */
export async function allowGrants(
  tx: Tx,
  of: { id: string; org_id: string; user_id?: string; by?: string },
): Promise<number> {
  const rows = await tx.query(sql`
    update public.platform_access_grants g set refused_by = null
    from public.platform_access_grants named
    where named.id = ${of.id} and named.org_id = ${of.org_id}
      and (${of.user_id ?? null}::text is null or named.user_id = ${of.user_id ?? null})
      and g.org_id = named.org_id and g.user_id = named.user_id and g.client_id = named.client_id
      and g.refused_by is not null and (${of.by ?? null}::text is null or g.refused_by = ${of.by ?? null})
    returning 1`)
  return rows.length
}

export async function touchGrant(db: Querier, id: string, now: Date): Promise<void> {
  await db.query(sql`update public.platform_access_grants set last_used_at = ${now} where id = ${id}`)
}

/** Returns the client's document as a user last approved it, used while the client's own site is unreachable. */
export async function findApprovedDocument(
  db: Querier,
  clientId: string,
  epoch: string,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.query<{ document: Record<string, unknown> }>(sql`
    select document from public.platform_access_grants
    where client_id = ${clientId} and document is not null and revoked_at is null and epoch = ${epoch}
    order by id desc limit 1`)
  return row?.document
}

/** Returns the digest of the client's document that the user approved last, if any. */
export async function findLastApprovedDigest(
  db: Querier,
  clientId: string,
  userId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ document_digest: string | null }>(sql`
    select document_digest from public.platform_access_grants
    where client_id = ${clientId} and user_id = ${userId}
    order by id desc limit 1`)
  return row?.document_digest ?? undefined
}

export type ConnectedAgentRow = {
  id: string
  org_id: string
  user_id: string
  email: string
  client_id: string
  client_name: string
  redirect_host: string
  resource: string
  scopes: Scope[]
  connected_from: string | null
  connected_with: string | null
  vouched_by: string | null
  refused_by: string | null
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}

/**
 * Lists current grants, newest first: of one user, or with `user_id` null of the whole organization. Also those that
 * somebody ended and the company may not make again, while it allows the agent.
 */
export async function pageGrants(
  db: Querier,
  of: { org_id: string; user_id: string | null; epoch: string; now: Date; before: string | null; limit: number },
): Promise<ConnectedAgentRow[]> {
  return db.query<ConnectedAgentRow>(sql`
    select g.id, g.org_id, g.user_id, u.email, g.client_id, g.client_name, g.redirect_host, g.resource, g.scopes,
           g.connected_from, g.connected_with, g.vouched_by, g.refused_by, g.created_at, g.expires_at, g.last_used_at
    from public.platform_access_grants g
    join auth.users u on u.id = g.user_id
    where g.org_id = ${of.org_id} and (${of.user_id}::text is null or g.user_id = ${of.user_id})
      and g.epoch = ${of.epoch}
      and ((g.revoked_at is null and g.expires_at > ${of.now})
           or (g.refused_by is not null and exists (select from auth.company_clients k where k.client_id = g.client_id)))
      and (${of.before}::text is null or g.id < ${of.before})
    order by g.id desc limit ${of.limit + 1}`)
}
