import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Detected } from '../detect/detectors.ts'

export type Seen = Detected & { readonly fingerprint: string }
export type Place = { readonly appId: string; readonly runId: string; readonly at: Date }

/** Records that a fault was seen. Returns true if it was never seen before in this app. */
export async function recordFinding(tx: Tx, seen: Seen & Place): Promise<boolean> {
  const { appId, fingerprint, kind, path, symbol, template, summary, lines = [], runId, at } = seen
  const [row] = await tx.query<{ count: number }>(sql`
    insert into maintenance.findings
      (app_id, fingerprint, kind, path, symbol, template, summary, lines, first_run_id, first_seen_at, last_seen_at,
       count)
    values
      (${appId}, ${fingerprint}, ${kind}, ${path}, ${symbol}, ${template}, ${summary}, ${JSON.stringify(lines)}::jsonb,
       ${runId}, ${at}, ${at}, 1)
    on conflict (app_id, fingerprint) do update
    set last_seen_at = excluded.last_seen_at, summary = excluded.summary, count = findings.count + 1,
      lines = case when excluded.lines = '[]' then findings.lines else excluded.lines end,
      path = coalesce(findings.path, excluded.path), symbol = coalesce(findings.symbol, excluded.symbol)
    returning count`)
  return row!.count === 1
}

export async function repeatFinding(tx: Tx, appId: string, fingerprint: string, at: Date): Promise<void> {
  await tx.query(sql`
    update maintenance.findings set last_seen_at = ${at}, count = count + 1
    where app_id = ${appId} and fingerprint = ${fingerprint}`)
}

type Finding = Detected & {
  first_seen_at: Date
  last_seen_at: Date
  count: number
  denied_at: Date | null
}

/** Sorted by the time they were last seen, the newest first. */
export async function listFindings(db: Querier, appId: string, limit: number): Promise<Finding[]> {
  return db.query(sql`
    select kind, path, symbol, template, summary, first_seen_at, last_seen_at, count, denied_at
    from maintenance.findings where app_id = ${appId}
    order by last_seen_at desc, fingerprint limit ${limit}`)
}
