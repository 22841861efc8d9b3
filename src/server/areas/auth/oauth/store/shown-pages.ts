import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** How many registrations one person can protect at a time by looking at their consent pages. */
const MAX_PAGES_PER_PERSON = 3

type Page = { client_id: string; user_id: string }

export async function wasShownSince(db: Querier, { client_id, user_id }: Page, since: Date): Promise<boolean> {
  const [row] = await db.query<{ shown: boolean }>(sql`
    select exists (select from auth.oauth_shown_pages
                   where client_id = ${client_id} and user_id = ${user_id} and shown_at > ${since}) as shown`)
  return row!.shown
}

/**
 * Records that a person was shown the consent page of a registration. Of each person only the newest page of an origin
 * and the three newest in all stay recorded, so that one person cannot protect all places. False when the registration
 * is gone.
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

/** After the person's decision the page protects nothing more, so that disconnecting frees the place at once. */
export async function forgetShown(tx: Tx, { client_id, user_id }: Page): Promise<void> {
  await tx.query(sql`delete from auth.oauth_shown_pages where client_id = ${client_id} and user_id = ${user_id}`)
}
