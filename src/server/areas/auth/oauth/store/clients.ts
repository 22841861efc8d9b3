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

/** Finds disabled clients too, so that callers can refuse them. Expired registrations are not found. */
export async function findClientRow(db: Querier, id: string, now: Date): Promise<ClientRow | undefined> {
  const [row] = await db.query<ClientRow>(sql`
    select client_id, client_name, client_uri, redirect_uris, is_active, expires_at
    from public.platform_oauth_clients
    where client_id = ${id} and (expires_at is null or expires_at > ${now})`)
  return row
}

/**
 * Locks registrations and approvals across all processes, because their limits count all registrations together. Throws
 * DatabaseUnavailable after waiting two seconds, because the wait holds a connection.
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

/** SQL: whether a registration is in use, that is, some user has a current grant for it. */
const isApproved = ({ epoch, now }: AsOf) => sql`
  exists (select from public.platform_access_grants g
          where g.client_id = c.client_id and g.revoked_at is null and g.expires_at > ${now} and g.epoch = ${epoch})`

/** SQL: whether a user ever approved the registration. False means that no authorization of it was ever finished. */
const wasApproved = sql`exists (select from public.platform_access_grants g where g.client_id = c.client_id)`

/** SQL: whether a user may be about to approve it: it is at most a minute old, or an authorization of it is open. */
const isInFlight = ({ now }: AsOf) => sql`
  (c.created_at > ${new Date(now.getTime() - 60_000)}
   or exists (select from auth.oauth_artifacts a
              where a.kind = 'Interaction' and a.payload->'params'->>'client_id' = c.client_id and a.expires_at > ${now}))`

/** How long a registration is protected after its consent page was shown to a signed-in user. */
const SHOWN_MS = 10 * 60_000

/** SQL: whether its consent page was shown to a signed-in user in the last ten minutes. It is then never evicted. */
const isShown = ({ now }: AsOf) => sql`
  exists (select from auth.oauth_shown_pages s
          where s.client_id = c.client_id and s.shown_at > ${new Date(now.getTime() - SHOWN_MS)})`

const placeSince = sql`coalesce(c.place_since, c.created_at)`

const isRegistration = sql`c.registered_from is not null and c.is_active`

/** The key epoch and the time at which grants and registrations are judged. */
export type AsOf = { epoch: string; now: Date }

/** A set of registrations that share one limit. */
export type RegistrationGroup = { origin: string } | { unapprovedLoopbackOf: string } | 'all'

function inGroup(group: RegistrationGroup) {
  if (group === 'all') return sql`true`
  if ('origin' in group) return sql`c.origin = ${group.origin}`
  return sql`(c.registered_from = ${group.unapprovedLoopbackOf} and c.origin like 'address:%' and not ${wasApproved})`
}

export async function deleteExpired(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`delete from public.platform_oauth_clients where expires_at <= ${now} and is_active`)
}

/**
 * Finds registrations with this name and address that are not in use and whose consent page is not shown, oldest first.
 */
export async function findUnused(
  tx: Tx,
  like: { client_name: string; registered_from: string },
  at: AsOf,
  inFlight: 'excluded' | 'included',
): Promise<{ client_id: string; redirect_uris: string[] }[]> {
  return tx.query(sql`
    select c.client_id, c.redirect_uris from public.platform_oauth_clients c
    where ${isRegistration} and c.client_name = ${like.client_name} and c.registered_from = ${like.registered_from}
      and not ${isApproved(at)} and not ${isShown(at)} and (${inFlight === 'included'} or not ${isInFlight(at)})
    order by c.created_at, c.client_id`)
}

/**
 * Deletes registrations that a successor replaces. Returns since when the successor holds its place: since the oldest
 * of those made after `since` and never approved, otherwise from now on. Returns undefined if there was none to delete.
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

export async function countRegistrations(tx: Tx, group: RegistrationGroup, now: Date): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from public.platform_oauth_clients c
    where ${isRegistration} and c.expires_at > ${now} and ${inGroup(group)}`)
  return row!.count
}

/**
 * Evicts the oldest registration of a group that was made before `before` and never approved, or else the oldest whose
 * grants have all ended. Returns false if there is neither.
 */
export async function evictUnused(tx: Tx, group: RegistrationGroup, before: Date, at: AsOf): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from public.platform_oauth_clients
    where client_id = (
      select c.client_id from public.platform_oauth_clients c
      where ${isRegistration} and ${inGroup(group)} and not ${isApproved(at)} and not ${isShown(at)}
        and (c.created_at <= ${before} or ${wasApproved})
      order by ${wasApproved}, c.created_at, c.client_id limit 1)
    returning client_id`)
  return rows.length === 1
}

/** How long a connection must be unused before it may give way to a newcomer: longer than a weekend. */
const SPARE_AFTER_MS = 3 * 24 * 3_600_000

/**
 * Finds the current grants of the registration of a group that can best be spared: none of them was used for three days,
 * and the same people have used another registration of the same name since, on another computer or after they lost the
 * tokens of this one.
 */
export async function findSpareGrants(
  tx: Tx,
  group: RegistrationGroup,
  { epoch, now }: AsOf,
): Promise<{ id: string; client_id: string }[]> {
  const before = new Date(now.getTime() - SPARE_AFTER_MS)
  return tx.query<{ id: string; client_id: string }>(sql`
    with used as (
      select g.id, g.user_id, c.client_id, c.client_name, c.origin, c.registered_from,
             coalesce(g.last_used_at, g.created_at) as used_at
      from public.platform_access_grants g
      join public.platform_oauth_clients c on c.client_id = g.client_id and ${isRegistration}
      where g.revoked_at is null and g.expires_at > ${now} and g.epoch = ${epoch}),
    spare as (
      select c.client_id, max(c.used_at) as used_at, bool_and(
               c.used_at < ${before}
               and exists (select from used other
                           where other.user_id = c.user_id and other.client_name = c.client_name
                             and other.client_id <> c.client_id and other.used_at > c.used_at)) as is_spare
      from used c where ${inGroup(group)} group by c.client_id)
    select u.id, u.client_id from used u
    where u.client_id = (select client_id from spare where is_spare order by used_at, client_id limit 1)
    order by u.id`)
}

export async function deleteClient(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from public.platform_oauth_clients where client_id = ${id}`)
}

/** SQL: the network of an address block (IPv6 /48, IPv4 /24), because one party often holds all of it. */
const networkOf = (address: Sql) => sql`
  coalesce(substring(${address} from '^[^:]*:[^:]*:[^:]*(?=:)'), substring(${address} from '^(.*)[.][^.]*$'), ${address})`

/**
 * SQL: the never approved registrations of a group, with how many their address and network hold, and the newcomer's.
 */
const withShares = (group: RegistrationGroup, newcomer: string, at: AsOf) => sql`
  with unapproved as (
    select c.client_id, ${placeSince} as place_since, c.registered_from, ${isShown(at)} as shown,
           ${networkOf(sql`c.registered_from`)} as network,
           count(*) over (partition by c.registered_from) as held,
           count(*) over (partition by ${networkOf(sql`c.registered_from`)}) as held_by_network
    from public.platform_oauth_clients c
    where ${isRegistration} and ${inGroup(group)} and not ${wasApproved}),
  own as (
    select count(*) filter (where registered_from = ${newcomer}) as held,
           count(*) filter (where network = ${networkOf(sql`${newcomer}::text`)}) as held_by_network
    from unapproved)`

/**
 * SQL: whether the holder of registration `u` has over `margin` more registrations than the newcomer: by network, or by
 * address if the newcomer's network has no more than the holder's.
 */
const holdsMore = (margin: number) => sql`
  (u.held_by_network > own.held_by_network + ${margin}::int
   or (u.held_by_network >= own.held_by_network and u.held > own.held + ${margin}::int))`

/** How long a never approved registration is protected from a newcomer that holds fewer. */
const PROTECTED_FROM_SMALLER_MS = 60_000

/**
 * Evicts one registration of the network and address that hold most never approved registrations of a group. A holder
 * with at least two more than the newcomer's gives one up at once, so that shares become equal. Otherwise a holder with
 * one more gives up a place held for over a minute, so that many who hold one each cannot keep others out.
 */
export async function evictFromLargerHolder(
  tx: Tx,
  group: RegistrationGroup,
  newcomer: string,
  at: AsOf,
): Promise<boolean> {
  const rows = await tx.query(sql`
    ${withShares(group, newcomer, at)}
    delete from public.platform_oauth_clients
    where client_id = (
      select u.client_id from unapproved u, own
      where not u.shown
        and (${holdsMore(1)}
             or (${holdsMore(0)} and u.place_since <= ${new Date(at.now.getTime() - PROTECTED_FROM_SMALLER_MS)}))
      order by ${holdsMore(1)} desc, u.held_by_network desc, u.held desc, u.place_since, u.client_id limit 1)
    returning client_id`)
  return rows.length === 1
}

/**
 * Returns when the first unused registration of a group can be evicted for the newcomer: `protectedMs` after it was
 * made (a minute if its holder has more than the newcomer) unless it was approved before, and ten minutes after its
 * consent page was shown. Returns undefined if all are in use.
 */
export async function firstEvictableAt(
  tx: Tx,
  group: RegistrationGroup,
  newcomer: string,
  protectedMs: number,
  at: AsOf,
): Promise<Date | undefined> {
  const [row] = await tx.query<{ first: Date | null }>(sql`
    ${withShares(group, newcomer, at)}
    select min(greatest(
      case when ${wasApproved} then null
           when exists (select from unapproved u, own where u.client_id = c.client_id and ${holdsMore(0)})
             then ${placeSince} + ${PROTECTED_FROM_SMALLER_MS}::int * interval '1 ms'
           else c.created_at + ${protectedMs}::int * interval '1 ms' end,
      (select max(s.shown_at) + ${SHOWN_MS}::int * interval '1 ms'
       from auth.oauth_shown_pages s where s.client_id = c.client_id))) as first
    from public.platform_oauth_clients c
    where ${isRegistration} and ${inGroup(group)} and not ${isApproved(at)}`)
  return row?.first ?? undefined
}

/**
 * Counts a loopback registration under the user who approves it. Returns false if the client is gone, because it was
 * evicted or disabled since its consent page was shown.
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

/** Matches origins of loopback registrations: `address:` until a user approves one, then `person:`. */
export const LOOPBACK_ORIGIN = '^(address|person):'
