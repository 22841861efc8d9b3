import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type Spending = { org_id: string; day: string; tokens: number }

/** Returns false if the day would exceed its limit. One statement, so that concurrent callers wait for the row. */
export async function addTokens(db: Querier, { org_id, day, tokens }: Spending, limit: number): Promise<boolean> {
  const rows = await db.query(sql`
    insert into ai.gateway_usage as usage (org_id, day, tokens)
    select ${org_id}::text, ${day}::date, ${tokens}::bigint where ${tokens}::bigint <= ${limit}::bigint
    on conflict (org_id, day) do update set tokens = usage.tokens + excluded.tokens
      where usage.tokens + excluded.tokens <= ${limit}::bigint
    returning tokens`)
  return rows.length === 1
}

/** Adds `tokens`, the difference to the number that was reserved. It can be negative. */
export async function correctTokens(db: Querier, { org_id, day, tokens }: Spending): Promise<void> {
  await db.query(sql`
    update ai.gateway_usage set tokens = tokens + ${tokens}
    where org_id = ${org_id} and day = ${day}::date`)
}
