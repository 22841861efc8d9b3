import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type ClientRow = {
  client_id: string
  client_name: string
  client_uri: string | null
  redirect_uris: string[]
  is_active: boolean
}

/** Also those that are switched off: their rows block. Not those whose time is over. */
export async function findClientRow(db: Querier, id: string, now: Date): Promise<ClientRow | undefined> {
  const [row] = await db.query<ClientRow>(sql`
    select client_id, client_name, client_uri, redirect_uris, is_active
    from public.platform_oauth_clients
    where client_id = ${id} and (expires_at is null or expires_at > ${now})`)
  return row
}

/** Registrations count together: one at a time, whichever process they come to. */
export async function lockRegistrations(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('svc.oauth.registrations'))`)
}

type Registration = {
  client_id: string
  client_name: string
  client_uri: string | null
  redirect_uris: string[]
  registered_from: string
  origin: string
  created_at: Date
  expires_at: Date
}

export async function insertRegistration(tx: Tx, row: Registration): Promise<void> {
  await tx.query(sql`
    insert into public.platform_oauth_clients
      (client_id, client_name, client_uri, redirect_uris, registered_from, origin, created_at, expires_at)
    values (${row.client_id}, ${row.client_name}, ${row.client_uri}, ${row.redirect_uris}, ${row.registered_from},
            ${row.origin}, ${row.created_at}, ${row.expires_at})`)
}

const isRegistration = sql`c.registered_from is not null`

/** Whether somebody allows it anything now. */
const inUse = (epoch: string, now: Date) => sql`
  exists (select from public.platform_access_grants g
          where g.client_id = c.client_id and g.revoked_at is null and g.expires_at > ${now} and g.epoch = ${epoch})`

export async function deleteExpired(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`delete from public.platform_oauth_clients where expires_at <= ${now} and is_active`)
}

/** Of one program that registers again and again: same name, same address. */
export async function findUnused(
  tx: Tx,
  like: { client_name: string; registered_from: string },
  epoch: string,
  now: Date,
): Promise<{ client_id: string; redirect_uris: string[] }[]> {
  return tx.query(sql`
    select c.client_id, c.redirect_uris from public.platform_oauth_clients c
    where ${isRegistration} and c.is_active and c.client_name = ${like.client_name}
      and c.registered_from = ${like.registered_from} and not ${inUse(epoch, now)}`)
}

export async function deleteClients(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from public.platform_oauth_clients where client_id = any(${ids})`)
}

export async function countRegistrations(tx: Tx, now: Date, origin?: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from public.platform_oauth_clients c
    where ${isRegistration} and c.is_active and c.expires_at > ${now}
      and (${origin ?? null}::text is null or c.origin = ${origin ?? null})`)
  return row!.count
}

/** Makes room: the oldest that nobody uses, made before `before`. False when there is none. */
export async function evictOne(tx: Tx, of: { before: Date; epoch: string; now: Date; origin?: string }) {
  const rows = await tx.query(sql`
    delete from public.platform_oauth_clients
    where client_id = (
      select c.client_id from public.platform_oauth_clients c
      where ${isRegistration} and c.is_active and c.created_at < ${of.before}
        and (${of.origin ?? null}::text is null or c.origin = ${of.origin ?? null})
        and not ${inUse(of.epoch, of.now)}
      order by c.created_at limit 1)
    returning client_id`)
  return rows.length === 1
}
