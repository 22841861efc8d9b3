import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/**
 * Removes up to `limit` runs that have ended and that are older than `before` or have `kept` newer ones of their
 * pipeline. Returns how many.
 */
export async function removeOldRuns(
  db: Querier,
  { before, kept, limit }: { before: Date; kept: number; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from pipelines.runs using (
      select run.id from pipelines.pipelines as pipeline
      cross join lateral (
        select id from pipelines.runs
        where pipeline_id = pipeline.id order by id desc offset ${kept} limit 1
      ) as last
      join pipelines.runs as run
        on run.pipeline_id = pipeline.id and run.id <= last.id and run.ended_at is not null
      union
      select id from pipelines.runs where ended_at < ${before}
      limit ${limit}
    ) as old
    where runs.id = old.id
    returning runs.id`)
  return rows.length
}
