import type { Scope } from '#contract/core/roles.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type SignOn = { issuer: string; scopes: Scope[] }

export async function findSignOn(db: Querier, orgId: string): Promise<SignOn | undefined> {
  const [row] = await db.query<SignOn>(sql`
    select issuer, scopes from auth.company_sign_on where org_id = ${orgId}`)
  return row
}

export async function upsertSignOn(tx: Tx, row: SignOn & { org_id: string; now: Date }): Promise<void> {
  await tx.query(sql`
    insert into auth.company_sign_on (org_id, issuer, scopes, updated_at)
    values (${row.org_id}, ${row.issuer}, ${row.scopes}, ${row.now})
    on conflict (org_id) do update
      set issuer = excluded.issuer, scopes = excluded.scopes, updated_at = excluded.updated_at`)
}

export async function deleteSignOn(tx: Tx, orgId: string): Promise<boolean> {
  const rows = await tx.query(sql`delete from auth.company_sign_on where org_id = ${orgId} returning 1`)
  return rows.length === 1
}

type ClientRow = { client_id: string; name: string; created_at: Date }

export function listCompanyClientRows(db: Querier, orgId: string): Promise<ClientRow[]> {
  return db.query<ClientRow>(sql`
    select k.client_id, c.client_name as name, k.created_at
    from auth.company_clients k join public.platform_oauth_clients c on c.client_id = k.client_id
    where k.org_id = ${orgId}
    order by k.client_id`)
}

export async function insertCompanyClient(
  tx: Tx,
  row: ClientRow & { org_id: string; hash: Buffer; epoch: string },
): Promise<void> {
  await tx.query(sql`
    insert into public.platform_oauth_clients (client_id, client_name, created_at)
    values (${row.client_id}, ${row.name}, ${row.created_at})`)
  await tx.query(sql`
    insert into auth.company_clients (client_id, org_id, hash, epoch, created_at)
    values (${row.client_id}, ${row.org_id}, ${row.hash}, ${row.epoch}, ${row.created_at})`)
}

/** Lets one at a time change how many clients the organization has. */
export async function lockClients(tx: Tx, orgId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('svc.oauth.company'), hashtext(${orgId}))`)
}

export async function deleteCompanyClientRow(tx: Tx, orgId: string, clientId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from public.platform_oauth_clients c
    using auth.company_clients k
    where k.client_id = c.client_id and k.org_id = ${orgId} and k.client_id = ${clientId}
    returning 1`)
  return rows.length === 1
}

/** A client that authenticated itself, and what its organization trusts; null where it trusts nobody. */
export type Trust = { org_id: string; name: string; issuer: string | null; scopes: Scope[] | null }

export async function findTrust(
  db: Querier,
  of: { client_id: string; hash: Buffer; epoch: string; now: Date },
): Promise<Trust | undefined> {
  const [row] = await db.query<Trust>(sql`
    select k.org_id, c.client_name as name, s.issuer, s.scopes
    from auth.company_clients k
    join public.platform_oauth_clients c on c.client_id = k.client_id
    left join auth.company_sign_on s on s.org_id = k.org_id
    where k.client_id = ${of.client_id} and k.hash = ${of.hash} and k.epoch = ${of.epoch}
      and c.is_active and (c.expires_at is null or c.expires_at > ${of.now})`)
  return row
}

/**
 * Whether the organization still trusts the issuer and allows the client. Both stay so until the transaction ends: who
 * takes the trust away waits for it, and then ends the connection that it made.
 */
export async function holdTrust(tx: Tx, of: { org_id: string; client_id: string } & SignOn): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from auth.company_sign_on s join auth.company_clients k on k.org_id = s.org_id
    where s.org_id = ${of.org_id} and k.client_id = ${of.client_id}
      and s.issuer = ${of.issuer} and s.scopes = ${of.scopes}
    for share of s, k`)
  return rows.length === 1
}

/**
 * Finds the member of the organization who signed in with this identity before. They stay a member until the transaction
 * ends: who removes them waits for it, and then removes the connection that it made.
 */
export async function findMember(
  tx: Tx,
  of: { org_id: string; issuer: string; subject: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ user_id: string }>(sql`
    select i.user_id from auth.identities i
    join auth.memberships m on m.user_id = i.user_id and m.org_id = ${of.org_id}
    where i.issuer = ${of.issuer} and i.subject = ${of.subject}
    for key share of m`)
  return row?.user_id
}

type Connection = { org_id: string; user_id: string; client_id: string; resource: string; vouched_by: string }

/** Whether the person or an admin ended a connection of the agent. */
export async function isRefused(tx: Tx, of: Pick<Connection, 'org_id' | 'user_id' | 'client_id'>): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from public.platform_access_grants
    where org_id = ${of.org_id} and user_id = ${of.user_id} and client_id = ${of.client_id} and refused_by is not null
    limit 1`)
  return rows.length === 1
}

/**
 * Extends the connection that the company made before, and returns its id; undefined if there is none. It keeps the scopes
 * that it had, because tokens with them may still be in use. `offered` is the order of its scopes.
 */
export async function extendConnection(
  tx: Tx,
  of: Connection & Record<'scopes' | 'offered', readonly Scope[]> & { epoch: string; now: Date; expires_at: Date },
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    update public.platform_access_grants
    set expires_at = ${of.expires_at},
        scopes = array(select scope from unnest(${of.offered}::text[]) scope
                       where scope = any(scopes) or scope = any(${of.scopes}::text[]))
    where org_id = ${of.org_id} and user_id = ${of.user_id} and client_id = ${of.client_id}
      and resource = ${of.resource} and vouched_by = ${of.vouched_by} and epoch = ${of.epoch}
      and revoked_at is null and expires_at > ${of.now}
    returning id`)
  return row?.id
}

/**
 * Ends the connections that the company made: all of them, or those of one client. Returns how many. It locks them in one
 * order, so that somebody who ends the same ones does not wait for it in a circle.
 */
export async function endCompanyConnections(
  tx: Tx,
  of: { org_id: string; client_id?: string; now: Date },
): Promise<number> {
  const rows = await tx.query(sql`
    with ending as (
      select id from public.platform_access_grants
      where org_id = ${of.org_id} and vouched_by is not null and revoked_at is null
        and (${of.client_id ?? null}::text is null or client_id = ${of.client_id ?? null})
      order by id for update)
    update public.platform_access_grants g set revoked_at = ${of.now} from ending where g.id = ending.id
    returning 1`)
  return rows.length
}

/** Returns false if the assertion is there already. Deletes some of those that expired. */
export async function insertAssertion(
  tx: Tx,
  { hash, expires_at }: { hash: Buffer; expires_at: Date },
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    with expired as (
      select hash from auth.company_assertions where expires_at < ${now} limit 100 for update skip locked),
    gone as (delete from auth.company_assertions a using expired where a.hash = expired.hash)
    insert into auth.company_assertions (hash, expires_at) values (${hash}, ${expires_at})
    on conflict do nothing returning 1`)
  return rows.length === 1
}
