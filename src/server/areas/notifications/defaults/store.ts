import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type Seed = { kind: 'reporter' | 'tickets_on_channel' | 'pipelines' | 'support_access'; key: string }

/** Returns false when the default was made before. */
export async function claimSeed(tx: Tx, orgId: string, { kind, key }: Seed): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into notifications.default_seeds (org_id, kind, key, seeded_at)
    values (${orgId}, ${kind}, ${key}, clock_timestamp())
    on conflict do nothing
    returning key`)
  return rows.length === 1
}

/** The chat channels of organizations that were never subscribed to pipelines by default. */
export async function readUnseededChats(db: Querier, orgIds: readonly string[]) {
  return db.query<{ id: string; org_id: string }>(sql`
    select distinct on (org_id) org_id, id from notifications.channels as channel
    where org_id = any(${[...orgIds]}::text[]) and kind = 'chat' and state = 'active' and not exists (
      select from notifications.default_seeds as seed where seed.org_id = channel.org_id and seed.kind = 'pipelines')
    order by org_id, id`)
}
