import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/**
 * Removes up to `limit` runs that have ended and that are older than `before` or have `keptRuns` newer ones of their
 * pipeline. Returns how many.
 */
export async function removeOldRuns(
  db: Querier,
  { before, keptRuns, limit }: { before: Date; keptRuns: number; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from pipelines.runs using (
      select run.id from pipelines.pipelines as pipeline
      cross join lateral (
        select id from pipelines.runs
        where pipeline_id = pipeline.id order by id desc offset ${keptRuns} limit 1
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

/** Finds the oldest ended runs of apps whose runs logged more than `maxBytes`, beyond the newest ones that fit. */
export function findLogsToRemove(db: Querier, maxBytes: number, limit: number): Promise<{ id: string }[]> {
  return db.query<{ id: string }>(sql`
    with large as (
      select app_id from pipelines.runs join pipelines.pipelines on pipelines.id = pipeline_id
      where log_bytes > 0 group by app_id having sum(log_bytes) > ${maxBytes}
    ), sized as (
      select runs.id, ended_at, sum(log_bytes) over (partition by app_id order by runs.id desc) as bytes
      from large join pipelines.pipelines using (app_id) join pipelines.runs on pipeline_id = pipelines.id
      where log_bytes > 0
    )
    select id from sized where bytes > ${maxBytes} and ended_at is not null order by id limit ${limit}`)
}

/** Puts one line that says so in place of the logs of runs. */
export async function removeLogs(tx: Tx, runIds: readonly string[], at: Date): Promise<void> {
  await tx.query(sql`delete from pipelines.run_lines where run_id = any(${runIds}::text[])`)
  await tx.query(sql`
    with emptied as (
      update pipelines.runs set log_bytes = 0, log_lines = 1 where id = any(${runIds}::text[]) returning id)
    insert into pipelines.run_lines (run_id, n, at, level, text)
    select id, 1, ${at}, 'warn', 'The log of this run was removed to make room for newer ones.' from emptied`)
}
