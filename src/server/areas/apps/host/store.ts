import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

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

/** Deletes the app with everything that belongs to it. */
export async function deleteMarkedApp(tx: Tx, appId: string): Promise<void> {
  await tx.query(sql`delete from apps.apps where id = ${appId} and state = 'deleting'`)
}
