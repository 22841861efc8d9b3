import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type ClientRow = {
  client_id: string
  client_name: string
  client_uri: string | null
  redirect_uris: string[]
  is_active: boolean
  expires_at: Date | null
}

/** Also those that are switched off: their rows block. Not those whose time is over. */
export async function findClientRow(db: Querier, id: string, now: Date): Promise<ClientRow | undefined> {
  const [row] = await db.query<ClientRow>(sql`
    select client_id, client_name, client_uri, redirect_uris, is_active, expires_at
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

/** Whether somebody is looking at its page, or is about to. */
const inFlight = (now: Date) => sql`
  (c.created_at > ${new Date(now.getTime() - 60_000)}
   or exists (select from auth.oauth_artifacts a
              where a.kind = 'Interaction' and a.payload->'params'->>'client_id' = c.client_id and a.expires_at > ${now}))`

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
      and c.registered_from = ${like.registered_from} and not ${inUse(epoch, now)} and not ${inFlight(now)}`)
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

type Crowd = { epoch: string; now: Date; origin?: string }

/** Makes room: the oldest that nobody uses, made before `before`. False when there is none. */
export async function evictUnused(tx: Tx, { before, epoch, now, origin }: Crowd & { before: Date }): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from public.platform_oauth_clients
    where client_id = (
      select c.client_id from public.platform_oauth_clients c
      where ${isRegistration} and c.is_active and c.created_at < ${before}
        and (${origin ?? null}::text is null or c.origin = ${origin ?? null})
        and not ${inUse(epoch, now)}
      order by c.created_at limit 1)
    returning client_id`)
  return rows.length === 1
}

/** Makes room among those who take more than their share: of the address with the most unused ones, the oldest. */
export async function evictCrowd(tx: Tx, share: number, { epoch, now }: Crowd): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from public.platform_oauth_clients
    where client_id = (
      select client_id from (
        select c.client_id, c.created_at, count(*) over (partition by c.registered_from) as unused
        from public.platform_oauth_clients c
        where ${isRegistration} and c.is_active and not ${inUse(epoch, now)}) crowd
      where unused > ${share}
      order by unused desc, created_at limit 1)
    returning client_id`)
  return rows.length === 1
}
