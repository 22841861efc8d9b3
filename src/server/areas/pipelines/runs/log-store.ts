import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { LogLine } from '../calls/kinds.ts'

/** Limits of a run's stored log. */
const MAX_RUN_LOG_BYTES = 256 * 1024
export const MAX_RUN_LOG_LINES = 5_000

const FULL = 'The log of this run is full. Later lines are not stored.'

/** Appends lines to the log of a run that has not ended. A log that is full gets one last line that says so. */
export async function appendRunLines(tx: Tx, runId: string, lines: readonly LogLine[]): Promise<void> {
  const [log] = await tx.query<{ log_bytes: number; log_lines: number; log_is_full: boolean }>(sql`
    select log_bytes, log_lines, log_is_full from pipelines.runs where id = ${runId} and ended_at is null for update`)
  if (!log || log.log_is_full || lines.length === 0) return
  const { fittingLines, bytes } = fitLines(lines, log)
  const isFull = fittingLines.length < lines.length
  const stored = isFull
    ? [...fittingLines, { at: lines[fittingLines.length]!.at, level: 'warn', text: FULL } as const]
    : fittingLines
  await tx.query(sql`
    insert into pipelines.run_lines (run_id, n, at, level, text)
    select ${runId}, ${log.log_lines} + line.n, line.at, line.level, line.text
    from unnest(
      ${stored.map(({ at }) => at)}::timestamptz[],
      ${stored.map(({ level }) => level)}::text[],
      ${stored.map(({ text }) => text)}::text[]
    ) with ordinality as line (at, level, text, n)`)
  await tx.query(sql`
    update pipelines.runs
    set log_bytes = log_bytes + ${bytes}, log_lines = log_lines + ${stored.length}, log_is_full = ${isFull}
    where id = ${runId}`)
}

function fitLines(lines: readonly LogLine[], { log_bytes, log_lines }: { log_bytes: number; log_lines: number }) {
  let bytes = 0
  for (const [index, { text }] of lines.entries()) {
    const size = Buffer.byteLength(text)
    const fits = log_lines + index < MAX_RUN_LOG_LINES && log_bytes + bytes + size <= MAX_RUN_LOG_BYTES
    if (!fits) return { fittingLines: lines.slice(0, index), bytes }
    bytes += size
  }
  return { fittingLines: lines, bytes }
}

type StoredLine = LogLine & { readonly n: number }

/** The lines after that number, in their order. */
export function findRunLines(db: Querier, runId: string, after: number, limit: number): Promise<StoredLine[]> {
  return db.query<StoredLine>(sql`
    select n, at, level, text from pipelines.run_lines
    where run_id = ${runId} and n > ${after} order by n limit ${limit}`)
}
