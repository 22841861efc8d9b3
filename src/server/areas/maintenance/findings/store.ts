import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Detected } from '../detect/detectors.ts'

type Seen = Detected & {
  readonly fingerprint: string
  readonly appId: string
  readonly runId: string
  readonly at: Date
}

/** Records that a fault was seen. Returns true if it was never seen before in this app. */
export async function recordFinding(tx: Tx, seen: Seen): Promise<boolean> {
  const { appId, fingerprint, kind, path, symbol, template, summary, runId, at } = seen
  const [row] = await tx.query<{ count: number }>(sql`
    insert into maintenance.findings
      (app_id, fingerprint, kind, path, symbol, template, summary, first_run_id, first_seen_at, last_seen_at, count)
    values
      (${appId}, ${fingerprint}, ${kind}, ${path}, ${symbol}, ${template}, ${summary}, ${runId}, ${at}, ${at}, 1)
    on conflict (app_id, fingerprint) do update
    set last_seen_at = excluded.last_seen_at, summary = excluded.summary, count = findings.count + 1
    returning count`)
  return row!.count === 1
}
