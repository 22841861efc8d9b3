import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

const DEFAULT_TIMEZONE = 'UTC'

/** Returns for each organization the timezone that its digests follow. */
export async function readTimezones(db: Querier, orgIds: readonly string[]): Promise<(orgId: string) => string> {
  const rows = await db.query<{ org_id: string; timezone: string }>(sql`
    select org_id, timezone from notifications.settings where org_id = any(${orgIds}::text[])`)
  const timezones = new Map(rows.map(({ org_id, timezone }) => [org_id, timezone]))
  return (orgId) => timezones.get(orgId) ?? DEFAULT_TIMEZONE
}

export async function timezoneOf(db: Querier, orgId: string): Promise<string> {
  return (await readTimezones(db, [orgId]))(orgId)
}

export async function saveTimezone(tx: Tx, orgId: string, timezone: string): Promise<void> {
  await tx.query(sql`
    insert into notifications.settings (org_id, timezone) values (${orgId}, ${timezone})
    on conflict (org_id) do update set timezone = excluded.timezone`)
}
