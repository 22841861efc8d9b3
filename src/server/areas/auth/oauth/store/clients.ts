import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'

export type ClientRow = {
  client_id: string
  client_name: string
  client_uri: string | null
  redirect_uris: string[]
  is_active: boolean
  expires_at: Date | null
}

/** Finds clients that are switched off too, because their rows block. Expired registrations are not found. */
export async function findClientRow(db: Querier, id: string, now: Date): Promise<ClientRow | undefined> {
  const [row] = await db.query<ClientRow>(sql`
    select client_id, client_name, client_uri, redirect_uris, is_active, expires_at
    from public.platform_oauth_clients
    where client_id = ${id} and (expires_at is null or expires_at > ${now})`)
  return row
}

/**
 * Registrations are counted together, so they and approvals run one at a time, in whichever process they arrive. Whoever
 * waits longer than two seconds fails with DatabaseUnavailable, because a connection is held meanwhile.
 */
export async function lockRegistrations(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('lock_timeout', '2s', true)`)
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
  place_since: Date
  expires_at: Date
}

export async function insertRegistration(tx: Tx, row: Registration): Promise<void> {
  await tx.query(sql`
    insert into public.platform_oauth_clients
      (client_id, client_name, client_uri, redirect_uris, registered_from, origin, created_at, place_since,
       expires_at)
    values (${row.client_id}, ${row.client_name}, ${row.client_uri}, ${row.redirect_uris}, ${row.registered_from},
            ${row.origin}, ${row.created_at}, ${row.place_since}, ${row.expires_at})`)
}

/** Whether a registration is in use: some person allows it something now. */
const isApproved = ({ epoch, now }: At) => sql`
  exists (select from public.platform_access_grants g
          where g.client_id = c.client_id and g.revoked_at is null and g.expires_at > ${now} and g.epoch = ${epoch})`

/** Whether a person approved it at some time; false means that no authorization of it was ever finished. */
const wasApproved = sql`exists (select from public.platform_access_grants g where g.client_id = c.client_id)`

/** Whether a person may be about to approve it: it is a minute old at most, or its consent page is open. */
const isInFlight = ({ now }: At) => sql`
  (c.created_at > ${new Date(now.getTime() - 60_000)}
   or exists (select from auth.oauth_artifacts a
              where a.kind = 'Interaction' and a.payload->'params'->>'client_id' = c.client_id and a.expires_at > ${now}))`

/** How long the place is kept of a registration whose consent page was shown to a signed-in person. */
const SHOWN_MS = 10 * 60_000

/** Whether a signed-in person was shown its consent page in the last ten minutes. It is then never evicted. */
const isShown = ({ now }: At) => sql`
  exists (select from auth.oauth_shown_pages s
          where s.client_id = c.client_id and s.shown_at > ${new Date(now.getTime() - SHOWN_MS)})`

const placeSince = sql`coalesce(c.place_since, c.created_at)`

const isRegistration = sql`c.registered_from is not null and c.is_active`

export type At = { epoch: string; now: Date }

/** Which registrations are counted together. */
export type Scope = { origin: string } | { unapprovedLoopbackOf: string } | 'all'

function inScope(scope: Scope) {
  if (scope === 'all') return sql`true`
  if ('origin' in scope) return sql`c.origin = ${scope.origin}`
  return sql`(c.registered_from = ${scope.unapprovedLoopbackOf} and c.origin like 'address:%' and not ${wasApproved})`
}

export async function deleteExpired(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`delete from public.platform_oauth_clients where expires_at <= ${now} and is_active`)
}

/** Registrations of the same name from the same address that nobody uses or is about to approve on its consent page. */
export async function findUnused(
  tx: Tx,
  like: { client_name: string; registered_from: string },
  at: At,
  inFlight: 'spared' | 'included',
): Promise<{ client_id: string; redirect_uris: string[] }[]> {
  return tx.query(sql`
    select c.client_id, c.redirect_uris from public.platform_oauth_clients c
    where ${isRegistration} and c.client_name = ${like.client_name} and c.registered_from = ${like.registered_from}
      and not ${isApproved(at)} and not ${isShown(at)} and (${inFlight === 'included'} or not ${isInFlight(at)})
    order by c.created_at, c.client_id`)
}

/**
 * Deletes registrations that their successor replaces. Answers since when the successor holds the place: as long as those
 * that were made after `since` and never approved, otherwise from now on. Undefined when there was none to delete.
 */
export async function replaceClients(
  tx: Tx,
  ids: readonly string[],
  since: Date,
  now: Date,
): Promise<Date | undefined> {
  const [row] = await tx.query<{ place_since: Date | null }>(sql`
    with c as (
      delete from public.platform_oauth_clients where client_id = any(${ids})
      returning client_id, created_at, place_since)
    select min(case when c.created_at > ${since} and not ${wasApproved} then ${placeSince}
                    else ${now}::timestamptz end) as place_since
    from c`)
  return row?.place_since ?? undefined
}

export async function countRegistrations(tx: Tx, scope: Scope, now: Date): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from public.platform_oauth_clients c
    where ${isRegistration} and c.expires_at > ${now} and ${inScope(scope)}`)
  return row!.count
}

/**
 * Makes room in a scope. First the oldest registration made before `before` that never finished an authorization, then
 * the oldest whose approvals have all ended. False when there is neither.
 */
export async function evictUnused(tx: Tx, scope: Scope, before: Date, at: At): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from public.platform_oauth_clients
    where client_id = (
      select c.client_id from public.platform_oauth_clients c
      where ${isRegistration} and ${inScope(scope)} and not ${isApproved(at)} and not ${isShown(at)}
        and (c.created_at <= ${before} or ${wasApproved})
      order by ${wasApproved}, c.created_at, c.client_id limit 1)
    returning client_id`)
  return rows.length === 1
}

/** The network of an address block: the IPv6 /48 of a /64, the IPv4 /24 of an address. One party often has all of it. */
const networkOf = (address: Sql) => sql`
  coalesce(substring(${address} from '^[^:]*:[^:]*:[^:]*(?=:)'), substring(${address} from '^(.*)[.][^.]*$'), ${address})`

/** The unfinished registrations of a scope with what their address and network hold, and what the newcomer's hold. */
const withShares = (scope: Scope, newcomer: string, at: At) => sql`
  with unfinished as (
    select c.client_id, ${placeSince} as place_since, c.registered_from, ${isShown(at)} as shown,
           ${networkOf(sql`c.registered_from`)} as network,
           count(*) over (partition by c.registered_from) as held,
           count(*) over (partition by ${networkOf(sql`c.registered_from`)}) as held_by_network
    from public.platform_oauth_clients c
    where ${isRegistration} and ${inScope(scope)} and not ${wasApproved}),
  own as (
    select count(*) filter (where registered_from = ${newcomer}) as held,
           count(*) filter (where network = ${networkOf(sql`${newcomer}::text`)}) as held_by_network
    from unfinished)`

/**
 * Whether the holder of registration `u` has over `margin` more than the newcomer: by network, or by address where the
 * newcomer's network has no more than the holder's.
 */
const holdsMore = (margin: number) => sql`
  (u.held_by_network > own.held_by_network + ${margin}::int
   or (u.held_by_network >= own.held_by_network and u.held > own.held + ${margin}::int))`

/** How long an unfinished registration is spared from a newcomer that holds less. */
const SPARED_FROM_SMALLER_MS = 60_000

/**
 * Makes room in a scope at the cost of the network and address that hold most unfinished registrations there. Those that
 * hold at least two more than the newcomer's give one up at once, so that shares become equal. Otherwise those that hold
 * one more give up a place that they have held for over a minute, so that nobody is kept out by many who hold one each.
 */
export async function evictFromLargerHolder(tx: Tx, scope: Scope, newcomer: string, at: At): Promise<boolean> {
  const rows = await tx.query(sql`
    ${withShares(scope, newcomer, at)}
    delete from public.platform_oauth_clients
    where client_id = (
      select u.client_id from unfinished u, own
      where not u.shown
        and (${holdsMore(1)}
             or (${holdsMore(0)} and u.place_since <= ${new Date(at.now.getTime() - SPARED_FROM_SMALLER_MS)}))
      order by ${holdsMore(1)} desc, u.held_by_network desc, u.held desc, u.place_since, u.client_id limit 1)
    returning client_id`)
  return rows.length === 1
}

/**
 * When the first registration of a scope that nobody uses can be evicted for the newcomer: `sparedMs` after it was made
 * (a minute where its holder has more than the newcomer) unless it was approved before, and ten minutes after its
 * consent page was shown. Undefined when all are in use.
 */
export async function firstEvictableAt(
  tx: Tx,
  scope: Scope,
  newcomer: string,
  sparedMs: number,
  at: At,
): Promise<Date | undefined> {
  const [row] = await tx.query<{ first: Date | null }>(sql`
    ${withShares(scope, newcomer, at)}
    select min(greatest(
      case when ${wasApproved} then null
           when exists (select from unfinished u, own where u.client_id = c.client_id and ${holdsMore(0)})
             then ${placeSince} + ${SPARED_FROM_SMALLER_MS}::int * interval '1 ms'
           else c.created_at + ${sparedMs}::int * interval '1 ms' end,
      (select max(s.shown_at) + ${SHOWN_MS}::int * interval '1 ms'
       from auth.oauth_shown_pages s where s.client_id = c.client_id))) as first
    from public.platform_oauth_clients c
    where ${isRegistration} and ${inScope(scope)} and not ${isApproved(at)}`)
  return row?.first ?? undefined
}

/**
 * Makes a loopback registration count for the person who approves it. False when the client is gone, because it made
 * room for another or was switched off since its consent page was shown.
 */
export async function countForPerson(tx: Tx, clientId: string, userId: string, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update public.platform_oauth_clients
    set origin = case when origin ~ ${LOOPBACK_ORIGIN} then concat('person:', ${userId}::text, ' ', client_name)
                      else origin end
    where client_id = ${clientId} and is_active and (expires_at is null or expires_at > ${now})
    returning client_id`)
  return rows.length === 1
}

/** Origins of loopback registrations: those nobody approved count for an address, the others for a person. */
export const LOOPBACK_ORIGIN = '^(address|person):'
