import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { lowestAskedAt } from './store.ts'

type Override = { per_minute: number | null; per_day: number | null }

export async function findOverride(db: Querier, orgId: string): Promise<Override | undefined> {
  const [row] = await db.query<Override>(sql`
    select per_minute, per_day from activity.quotas where org_id = ${orgId}`)
  return row
}

export async function setOverride(db: Querier, orgId: string, { per_minute, per_day }: Override): Promise<void> {
  await db.query(sql`
    insert into activity.quotas (org_id, per_minute, per_day) values (${orgId}, ${per_minute}, ${per_day})
    on conflict (org_id) do update set per_minute = excluded.per_minute, per_day = excluded.per_day`)
}

/** `before` is not included. */
type Span = { from: Date; before: Date; now: Date }

/** A question that has no outcome after this time was cut off by a crash. */
const MAX_QUESTION_MS = 60_000

/** Counts the questions that were spent from the quota. Those without an outcome after a minute count as spent. */
export async function countQuestions(db: Querier, orgId: string, { from, before, now }: Span): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*) from activity.records
    where org_id = ${orgId} and type = 'data_source' and id >= ${lowestAskedAt(from)} and asked_at >= ${from} and asked_at < ${before}
      and (counted or (status is null and asked_at < ${new Date(now.getTime() - MAX_QUESTION_MS)}))`)
  return row!.count
}
