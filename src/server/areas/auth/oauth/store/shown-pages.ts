import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Maximum number of registrations that one user protects by looking at their consent pages. */
const MAX_PAGES_PER_PERSON = 3

type Page = { client_id: string; user_id: string }

export async function wasShownSince(db: Querier, { client_id, user_id }: Page, since: Date): Promise<boolean> {
  const [row] = await db.query<{ shown: boolean }>(sql`
    select exists (select from auth.oauth_shown_pages
                   where client_id = ${client_id} and user_id = ${user_id} and shown_at > ${since}) as shown`)
  return row!.shown
}

/**
 * Records that a user was shown the consent page of a registration. Keeps only the newest page per origin and the three
 * newest in all, so that one user cannot protect all registrations. Returns false if the registration is gone.
 */
export async function recordShown(tx: Tx, { client_id, user_id }: Page, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into auth.oauth_shown_pages (client_id, user_id, shown_at)
    select c.client_id, ${user_id}, ${now}::timestamptz from public.platform_oauth_clients c
    where c.client_id = ${client_id} and c.is_active and c.expires_at > ${now}
    on conflict (client_id, user_id) do update set shown_at = excluded.shown_at
    returning 1`)
  await tx.query(sql`
    delete from auth.oauth_shown_pages
    where user_id = ${user_id} and client_id not in (
      select newest.client_id from (
        select distinct on (c.origin) p.client_id, p.shown_at
        from auth.oauth_shown_pages p join public.platform_oauth_clients c on c.client_id = p.client_id
        where p.user_id = ${user_id}
        order by c.origin, p.shown_at desc, p.client_id desc) newest
      order by newest.shown_at desc, newest.client_id desc limit ${MAX_PAGES_PER_PERSON}::int)`)
  return rows.length === 1
}

/** Deletes the record after the user's decision, so that disconnecting the agent frees its registration at once. */
export async function deleteShown(tx: Tx, { client_id, user_id }: Page): Promise<void> {
  await tx.query(sql`delete from auth.oauth_shown_pages where client_id = ${client_id} and user_id = ${user_id}`)
}
