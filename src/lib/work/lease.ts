import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '../db/db.ts'
import { LISTENING } from '../db/postgres-listener.ts'
import { type Sql, sql } from '../db/sql.ts'
import { LeaseWatch, processUptime } from './lease-watch.ts'

/**
 * One grant of a lease. All times are the database's, so the clocks of processes do not matter. Every grant has a higher
 * fence than the grants before it.
 */
export type Lease = { readonly name: string; readonly holder: string; readonly fence: number }

type LeaseDb = Pick<Db, 'query' | 'engine' | 'instance'>

/** How long a lease outlives a holder whose death cannot be seen, such as one on a machine that lost its network. */
export const LEASE_SECONDS = 15

/**
 * Takes the lease if it is free. Returns undefined while another grant holds it, also one of this process. A lease is
 * free when nobody took it, when it was released, when it ran out, and when its holder is known to be dead.
 */
export async function takeLease(db: LeaseDb, name: string, seconds = LEASE_SECONDS): Promise<Lease | undefined> {
  const holder = `${db.instance}/${randomUUID()}`
  // The fence and the end are computed anew in the update: the insert may have waited for another transaction.
  const [row] = await db.query<{ fence: number }>(sql`
    insert into svc.leases as held (name, holder, fence, expires_at)
    values (${name}, ${holder}, nextval('svc.fences'), ${leaseEnd(seconds)})
    on conflict (name) do update
      set holder = excluded.holder, fence = nextval('svc.fences'), expires_at = ${leaseEnd(seconds)}
      where held.expires_at <= clock_timestamp() or ${holderIsDead(db)}
    returning fence`)
  return row && { name, holder, fence: row.fence }
}

/**
 * Extends leases and returns those that are still held. A lease that ran out and that nobody else took is still held.
 * Rows are locked in the order of their names, so that two processes cannot wait for each other.
 */
export async function renewLeases(db: Pick<Db, 'query'>, leases: readonly Lease[]): Promise<Lease[]> {
  return db.query<Lease>(sql`
    with mine as (
      select leases.name, leases.holder, leases.fence
      from svc.leases
      join unnest(
        ${leases.map(({ name }) => name)}::text[],
        ${leases.map(({ holder }) => holder)}::text[],
        ${leases.map(({ fence }) => fence)}::bigint[]
      ) as held (name, holder, fence) using (name, holder, fence)
      order by leases.name
      for update of leases)
    update svc.leases set expires_at = ${leaseEnd(LEASE_SECONDS)}
    from mine where leases.name = mine.name
    returning mine.name, mine.holder, mine.fence`)
}

/** Frees the lease at once. Does nothing if another grant has it by now. */
export async function releaseLease(db: Pick<Db, 'query'>, { name, holder, fence }: Lease): Promise<void> {
  await db.query(sql`delete from svc.leases where name = ${name} and holder = ${holder} and fence = ${fence}`)
}

/** Returns whether the lease is held. If so, nobody can take it over before the transaction ends. */
export async function lockLease(tx: Tx, { name, holder, fence }: Lease): Promise<boolean> {
  const rows = await tx.query(sql`
    select from svc.leases where name = ${name} and holder = ${holder} and fence = ${fence} for share`)
  return rows.length === 1
}

/**
 * Runs work that only one process may do at a time, and renews the lease meanwhile. Returns undefined without running it
 * if the lease is not free. The signal is aborted when the lease is lost or could not be renewed in time.
 */
export async function runIfLeased<T>(
  db: LeaseDb,
  name: string,
  run: (lease: Lease, signal: AbortSignal) => Promise<T>,
): Promise<{ result: T } | undefined> {
  const endOfGrant = () => processUptime() + LEASE_SECONDS * 1000
  const endsAt = endOfGrant()
  const lease = await takeLease(db, name)
  if (!lease) return undefined
  const watch = new LeaseWatch(name, endsAt, processUptime)
  const renew = async () => {
    const renewedEnd = endOfGrant()
    const held = await renewLeases(db, [lease])
    if (held.length === 1) watch.extend(renewedEnd)
    else watch.takenOver()
  }
  // A renewal that fails is tried again until the lease ends.
  const renewal = setInterval(() => void renew().catch(() => undefined), (LEASE_SECONDS * 1000) / 3)
  renewal.unref()
  try {
    return { result: await run(lease, watch.signal) }
  } finally {
    clearInterval(renewal)
    watch.unwatch()
    // A lease that cannot be released now runs out by itself; the error must not hide how the work ended.
    await releaseLease(db, lease).catch(() => undefined)
  }
}

/** Lets work under a lease find out whether it still holds it. */
export type LeaseGuard = {
  /** Renews the lease. Throws the refusal if it was taken over. To be called before a step that must not run twice. */
  readonly confirm: () => Promise<void>
  /** As `confirm`, inside a transaction: until it ends, the lease cannot be taken over. */
  readonly confirmIn: (tx: Tx) => Promise<void>
}

type Work<T> = {
  readonly name: string
  /** Makes the error for a lease that another holds. Given are the seconds after which it can be free. */
  readonly refuse: (retryAfterSeconds: number) => Error
  readonly run: (guard: LeaseGuard) => Promise<T>
}

/** Runs work under a lease as `runIfLeased` does, and throws the refusal if the lease is not free. */
export async function withLease<T>(db: LeaseDb, { name, refuse, run }: Work<T>): Promise<T> {
  const done = await runIfLeased(db, name, (lease) => run(guardOf(db, lease, refuse)))
  if (!done) throw refuse(await secondsLeft(db, name))
  return done.result
}

export function guardOf(db: LeaseDb, lease: Lease, refuse: Work<never>['refuse']): LeaseGuard {
  return {
    confirm: async () => {
      if ((await renewLeases(db, [lease])).length === 0) throw refuse(await secondsLeft(db, lease.name))
    },
    confirmIn: async (tx) => {
      if (!(await lockLease(tx, lease))) throw refuse(1)
    },
  }
}

/**
 * The holder's name begins with the instance it opened the database as. An embedded database has one process at a time,
 * so any other instance is of a process that ended. On Postgres a process that renews a lease has a connection, and the
 * server closes those of a process that died. Behind a pooler only the listening connection is its own. The statement
 * must call the row `held`.
 */
export function holderIsDead({ engine, instance }: Pick<Db, 'engine' | 'instance'>): Sql {
  if (engine === 'embedded') return sql`split_part(held.holder, '/', 1) <> ${instance}`
  return sql`not exists (
    select from pg_stat_activity
    where datname = current_database() and usename = current_user
      and application_name in (split_part(held.holder, '/', 1), split_part(held.holder, '/', 1) || ${LISTENING}))`
}

/** At least 1, so that a caller that is refused does not repeat its request at once. */
async function secondsLeft(db: LeaseDb, name: string): Promise<number> {
  const [row] = await db.query<{ seconds: number }>(sql`
    select ceil(extract(epoch from greatest(expires_at - clock_timestamp(), interval '1 second')))::int as seconds
    from svc.leases where name = ${name} and expires_at > '-infinity'`)
  return row?.seconds ?? 1
}

export function leaseEnd(seconds: number): Sql {
  return sql`clock_timestamp() + make_interval(secs => ${seconds})`
}
