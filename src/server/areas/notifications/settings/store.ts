import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export const DEFAULT_TIMEZONE = 'UTC'

/** The timezone that the organization's digests follow. */
export async function timezoneOf(db: Pick<Tx, 'query'>, orgId: string): Promise<string> {
  const [row] = await db.query<{ timezone: string }>(sql`
    select timezone from notifications.settings where org_id = ${orgId}`)
  return row?.timezone ?? DEFAULT_TIMEZONE
}

export async function saveTimezone(tx: Tx, orgId: string, timezone: string): Promise<void> {
  await tx.query(sql`
    insert into notifications.settings (org_id, timezone) values (${orgId}, ${timezone})
    on conflict (org_id) do update set timezone = excluded.timezone`)
}
