import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** The events of an organization, oldest first, whether or not notifications took them out of the outbox yet. */
export async function eventsOf(db: Db, orgId: string) {
  return db.query<{ type: string; occurred_at: Date; body: Record<string, unknown> }>(sql`
    select type, occurred_at, body
    from (select id, org_id, type, occurred_at, body from svc.outbox
          union all
          select id, org_id, type, occurred_at, body from notifications.events) as event
    where org_id = ${orgId} order by id`)
}
