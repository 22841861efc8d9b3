import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { leaseEnd } from '#lib/work/lease.ts'

/**
 * Returns those of the leases that another process holds. A host renews its lease, whose holder begins with the name
 * under which its process opened the database.
 */
export async function findHeldElsewhere(
  { query, instance }: Pick<Db, 'query' | 'instance'>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const held = await query<{ name: string }>(sql`
    select name from svc.leases
    where name = any(${names}::text[]) and expires_at > clock_timestamp() and split_part(holder, '/', 1) <> ${instance}`)
  return new Set(held.map(({ name }) => name))
}

/** Returns those of the apps that svc keeps running: active ones with a start command and a live deploy. */
export async function listLiveApps(
  db: Querier,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly host_label: string }[]> {
  if (ids.length === 0) return []
  return db.query(sql`
    select id, host_label from apps.apps
    where id = any(${[...ids]}::text[]) and state = 'active' and start_command is not null
      and exists (select from apps.deploys where app_id = apps.id and state = 'live')`)
}

/** Counts the apps that svc keeps running. `others`: whether those that another process hosts are left out. */
export async function countLiveApps({ query, instance }: Pick<Db, 'query' | 'instance'>, others: 'with' | 'without') {
  const [row] = await query<{ count: number }>(sql`
    select count(*)::int as count from apps.apps
    where state = 'active' and start_command is not null
      and exists (select from apps.deploys where app_id = apps.id and state = 'live')
      and (${others === 'with'} or not exists (
        select from svc.leases where name = 'app-host:' || apps.id and expires_at > clock_timestamp()
          and split_part(holder, '/', 1) <> ${instance}))`)
  return row!.count
}

type Hold = { readonly appId: string; readonly keeperId: string; readonly seconds: number }

/** Returns false while another keeper can run the app. */
export async function holdApp(db: Pick<Db, 'query'>, { appId, keeperId, seconds }: Hold): Promise<boolean> {
  const rows = await db.query(sql`
    insert into svc.leases as held (name, holder, fence, expires_at)
    values (${holdName(appId)}, ${keeperId}, nextval('svc.fences'), ${leaseEnd(seconds)})
    on conflict (name) do update set holder = excluded.holder, expires_at = ${leaseEnd(seconds)}
      where held.holder = excluded.holder or held.expires_at <= clock_timestamp()
    returning name`)
  return rows.length === 1
}

export async function releaseHold(db: Pick<Db, 'query'>, { appId, keeperId }: Hold): Promise<void> {
  await db.query(sql`delete from svc.leases where name = ${holdName(appId)} and holder = ${keeperId}`)
}

function holdName(appId: string): string {
  return `app-kept:${appId}`
}

/** Deletes the app with everything that belongs to it. */
export async function deleteMarkedApp(tx: Tx, appId: string): Promise<void> {
  await tx.query(sql`delete from apps.apps where id = ${appId} and state = 'deleting'`)
}
