import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'

export type Lease = { name: string; holder: string; fence: number; expiresAt: Date }

type Ask = { name: string; holder: string; seconds: number; now: Date }

/** Takes or renews; undefined while another holds it. `fence` grows with every change of holder. */
export async function takeLease(
  db: Pick<Db, 'query'>,
  { name, holder, seconds, now }: Ask,
): Promise<Lease | undefined> {
  const expiresAt = new Date(now.getTime() + seconds * 1000)
  const [row] = await db.query<{ fence: number }>(sql`
    insert into svc.leases as held (name, holder, fence, expires_at)
    values (${name}, ${holder}, 1, ${expiresAt})
    on conflict (name) do update
      set holder = excluded.holder,
          expires_at = excluded.expires_at,
          fence = held.fence + (held.holder <> excluded.holder or held.expires_at <= ${now})::int
      where held.holder = excluded.holder or held.expires_at <= ${now}
    returning fence`)
  return row && { name, holder, fence: row.fence, expiresAt }
}

/** Gives it back at once, so that a rolling restart does not wait for it to run out. */
export async function releaseLease(db: Pick<Db, 'query'>, lease: HeldBy): Promise<void> {
  await db.query(sql`
    update svc.leases set expires_at = '-infinity'
    where name = ${lease.name} and holder = ${lease.holder} and fence = ${lease.fence}`)
}

type HeldBy = Pick<Lease, 'name' | 'holder' | 'fence'>
type LeaseDb = Pick<Db, 'query' | 'engine' | 'instance'>

/** A lease that `underLease` keeps renewing. */
export type KeptLease = HeldBy & {
  /** Throws the refusal when another has taken the lease over. To be called before a step that must not run twice. */
  readonly confirm: () => Promise<void>
  /** As `confirm`, inside a transaction: until it ends, the lease cannot be taken over. */
  readonly confirmIn: (tx: Tx) => Promise<void>
}

type Work<T> = {
  name: string
  /** Made when another holds the lease, with the seconds until it can be free. */
  refuse: (retryAfterSeconds: number) => Error
  run: (lease: KeptLease) => Promise<T>
}

/** How long a lease outlives a holder whose death nobody can see, such as one on a machine that lost its network. */
const KEPT_SECONDS = 15

/**
 * Runs work that only one process may do at a time, on the database's clock. The lease is renewed while the work runs,
 * so it can be short. A holder that is known to be dead is followed at once, all others when the lease has run out.
 */
export async function underLease<T>(db: LeaseDb, { name, refuse, run }: Work<T>): Promise<T> {
  const held = await takeKept(db, name)
  if (!held) throw refuse(await secondsLeft(db, name))
  const renew = async () => {
    if (!(await renewKept(db, held))) throw refuse(await secondsLeft(db, name))
  }
  let renewing: Promise<unknown> = Promise.resolve()
  // A renewal that fails is tried again; `confirm` tells the work when the lease is lost.
  const renewal = setInterval(
    () => {
      renewing = renewKept(db, held).catch(() => undefined)
    },
    (KEPT_SECONDS * 1000) / 3,
  )
  renewal.unref()
  const confirmIn = async (tx: Tx) => {
    if (!(await holdsKept(tx, held))) throw refuse(1)
  }
  try {
    return await run({ ...held, confirm: renew, confirmIn })
  } finally {
    clearInterval(renewal)
    // A renewal still under way would take again what is released.
    await renewing
    // One that cannot be released now runs out by itself, and must not hide how the work ended.
    await releaseLease(db, held).catch(() => undefined)
  }
}

async function takeKept(db: LeaseDb, name: string): Promise<HeldBy | undefined> {
  const holder = `${db.instance}/${randomUUID()}`
  const [row] = await db.query<{ fence: number }>(sql`
    insert into svc.leases as held (name, holder, fence, expires_at)
    values (${name}, ${holder}, 1, ${expiry()})
    on conflict (name) do update
      set holder = excluded.holder, expires_at = ${expiry()}, fence = held.fence + 1
      where held.expires_at <= clock_timestamp() or ${holderIsDead(db)}
    returning fence`)
  return row && { name, holder, fence: row.fence }
}

/**
 * The holder's name begins with the instance it opened the database as. An embedded database has one process at a time,
 * so any other instance is of a process that ended. On Postgres a process that renews a lease has a connection, and the
 * server closes those of a process that died.
 */
function holderIsDead({ engine, instance }: LeaseDb): Sql {
  if (engine === 'embedded') return sql`split_part(held.holder, '/', 1) <> ${instance}`
  return sql`not exists (
    select from pg_stat_activity
    where datname = current_database() and usename = current_user
      and application_name = split_part(held.holder, '/', 1))`
}

/** False when another has taken it. A lease that ran out and that nobody took is still the holder's. */
async function renewKept(db: LeaseDb, { name, holder, fence }: HeldBy): Promise<boolean> {
  const rows = await db.query(sql`
    update svc.leases set expires_at = ${expiry()}
    where name = ${name} and holder = ${holder} and fence = ${fence}
    returning name`)
  return rows.length === 1
}

async function holdsKept(tx: Tx, { name, holder, fence }: HeldBy): Promise<boolean> {
  const rows = await tx.query(sql`
    select from svc.leases where name = ${name} and holder = ${holder} and fence = ${fence} for share`)
  return rows.length === 1
}

/** At least 1: a lease that was released meanwhile can be had at once, but not before. */
async function secondsLeft(db: LeaseDb, name: string): Promise<number> {
  const [row] = await db.query<{ seconds: number }>(sql`
    select ceil(extract(epoch from greatest(expires_at - clock_timestamp(), interval '1 second')))::int as seconds
    from svc.leases where name = ${name} and expires_at > '-infinity'`)
  return row?.seconds ?? 1
}

function expiry(): Sql {
  return sql`clock_timestamp() + make_interval(secs => ${KEPT_SECONDS})`
}
