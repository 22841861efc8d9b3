import { notFound, ServiceError } from '#contract/core/errors.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { LOOKED } from '../claims/last-look.ts'
import type { Detected } from '../detect/detectors.ts'

export type Seen = Detected & { readonly fingerprint: string }
export type Place = { readonly appId: string; readonly runId: string; readonly at: Date }

/** The second night that does not see a finding closes it. One quiet night can be a night without users. */
const CLOSED_AFTER_HOURS = 36

/** Whether complete looks did not see a finding for so long that it counts as gone. */
const IS_CLOSED: Sql = sql`
  coalesce((
    select max(run.ended_at) from maintenance.runs run
    where run.app_id = finding.app_id and run.terminal_code = any(${LOOKED}::text[])
  ) >= finding.last_seen_at + make_interval(hours => ${CLOSED_AFTER_HOURS}), false)`

type Former = {
  readonly fingerprint: string
  readonly lines: FindingRow['lines']
  readonly is_closed: boolean
  readonly is_dismissed: boolean
}

/** By fingerprint: the faults that earlier runs saw. Call it before they are recorded again. */
export async function findFormer(tx: Tx, appId: string, fingerprints: readonly string[]) {
  const rows = await tx.query<Former>(sql`
    select fingerprint, lines, dismissed_at is not null as is_dismissed,
      ${IS_CLOSED} as is_closed
    from maintenance.findings finding
    where app_id = ${appId} and fingerprint = any(${[...fingerprints]}::text[])`)
  return new Map(rows.map((row) => [row.fingerprint, row]))
}

/** Records that a fault was seen. `keepsLines`: where no lines are cited, those of before stay. */
export async function recordFinding(tx: Tx, seen: Seen & Place & { keepsLines?: boolean }): Promise<void> {
  const { appId, fingerprint, kind, path, symbol, template, summary, lines = [], runId, at, keepsLines = true } = seen
  await tx.query(sql`
    insert into maintenance.findings
      (app_id, fingerprint, kind, path, symbol, template, summary, lines, first_run_id, first_seen_at, last_seen_at,
       count)
    values
      (${appId}, ${fingerprint}, ${kind}, ${path}, ${symbol}, ${template}, ${summary}, ${JSON.stringify(lines)}::jsonb,
       ${runId}, ${at}, ${at}, 1)
    on conflict (app_id, fingerprint) do update
    set last_seen_at = excluded.last_seen_at, summary = excluded.summary, count = findings.count + 1,
      lines = case when excluded.lines = '[]' and ${keepsLines} then findings.lines else excluded.lines end,
      path = coalesce(findings.path, excluded.path), symbol = coalesce(findings.symbol, excluded.symbol)`)
}

export async function repeatFinding(tx: Tx, appId: string, fingerprint: string, at: Date): Promise<void> {
  await tx.query(sql`
    update maintenance.findings set last_seen_at = ${at}, count = count + 1
    where app_id = ${appId} and fingerprint = ${fingerprint}`)
}

export type FindingRow = Omit<Detected, 'kind' | 'lines'> & {
  fingerprint: string
  kind: string
  lines: { at: string; text: string; revision_id?: string }[]
  first_seen_at: Date
  last_seen_at: Date
  count: number
  denied_at: Date | null
  dismissed_at: Date | null
  dismissed_by: string | null
  dismissed_reason: string | null
  is_closed: boolean
}

const COLUMNS = sql`
  fingerprint, kind, path, symbol, template, summary, lines, first_seen_at, last_seen_at, count, denied_at,
  dismissed_at, dismissed_by, dismissed_reason, ${IS_CLOSED} as is_closed`

/** Sorted by the time they were last seen, the newest first. */
export async function listRecent(db: Querier, appId: string, limit: number): Promise<FindingRow[]> {
  return db.query(sql`
    select ${COLUMNS} from maintenance.findings finding where app_id = ${appId}
    order by last_seen_at desc, fingerprint limit ${limit}`)
}

/** Finds a finding by its fingerprint or the beginning of it, which holds hexadecimal digits only. */
export async function requireFinding(db: Querier, appId: string, beginning: string): Promise<FindingRow> {
  const rows = await db.query<FindingRow>(sql`
    select ${COLUMNS} from maintenance.findings finding
    where app_id = ${appId} and fingerprint like ${`${beginning}%`}
    order by fingerprint limit 2`)
  if (rows.length > 1) {
    throw new ServiceError('INVALID_REQUEST', `fingerprint: more than one finding begins with ${beginning}`)
  }
  if (!rows[0]) throw notFound('finding')
  return rows[0]
}

type Dismissal = { readonly by: string | null; readonly reason: string; readonly at: Date }

/** Sets the dismissal of a finding, or takes it back. */
export async function setDismissal(tx: Tx, appId: string, fingerprint: string, dismissal: Dismissal | null) {
  await tx.query(sql`
    update maintenance.findings
    set dismissed_at = ${dismissal?.at ?? null}, dismissed_by = ${dismissal?.by ?? null},
      dismissed_reason = ${dismissal?.reason ?? null}
    where app_id = ${appId} and fingerprint = ${fingerprint}`)
}
