import type { Db, Tx } from './db/db.ts'
import { sql } from './db/sql.ts'

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
export async function releaseLease(db: Pick<Db, 'query'>, lease: Lease): Promise<void> {
  await db.query(sql`
    update svc.leases set expires_at = '-infinity'
    where name = ${lease.name} and holder = ${lease.holder} and fence = ${lease.fence}`)
}

/** True while the lease is still ours, locked until the transaction ends: writes under it cannot be overtaken. */
export async function holdsLease(tx: Tx, lease: Lease, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    select from svc.leases
    where name = ${lease.name} and fence = ${lease.fence} and expires_at > ${now}
    for share`)
  return rows.length === 1
}
