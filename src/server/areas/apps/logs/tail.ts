import type { z } from 'zod'
import type { tailLogs } from '#contract/apps/logs.ts'
import type { Db } from '#lib/db/db.ts'
import { createWake } from '#lib/work/wake.ts'
import { presentLine } from './present.ts'
import { findLines, findLinesAfter, type LineFilter, type LineRow, LOGS_CHANNEL, lastLineId } from './store.ts'

type TailEvent = z.input<(typeof tailLogs)['event']>
type Tail = {
  readonly appId: string
  readonly filter: LineFilter
  /** How many lines that exist already to begin with. */
  readonly lines: number
  /** Go on after this line instead. */
  readonly after: number | undefined
  readonly signal: AbortSignal
}

const PAGE = 500
/** Covers lost notifications. */
const POLL_MS = 5_000

/** Yields the last lines, and then new ones as they are stored, until the reader goes away. */
export async function* tailEvents(
  db: Pick<Db, 'query' | 'listen'>,
  { appId, filter, lines, after, signal }: Tail,
): AsyncGenerator<TailEvent> {
  const wake = createWake()
  signal.addEventListener('abort', wake.ring, { once: true })
  await using _listening = await db.listen(LOGS_CHANNEL, (payload) => {
    if (payload === appId || payload === '') wake.ring()
  })
  let last = after
  if (last === undefined) {
    last = await lastLineId(db, appId)
    const latest = lines === 0 ? [] : await findLines(db, appId, filter, { limit: lines, before: last + 1 })
    for (const row of latest.toReversed()) yield toEvent(row)
  }
  while (!signal.aborted) {
    // Read before the lines: with a rare match the next look begins where this one ended.
    const newest = await lastLineId(db, appId)
    const rows = await findLinesAfter(db, appId, filter, { limit: PAGE, after: last })
    for (const row of rows) {
      last = row.id
      yield toEvent(row)
    }
    if (rows.length === PAGE) continue
    last = Math.max(last, newest)
    await wake.next(POLL_MS)
  }
}

function toEvent(row: LineRow): TailEvent {
  const line = presentLine(row)
  if (row.dropped > 0) return { type: 'dropped', id: line.id, at: line.at, count: row.dropped }
  return { ...line, type: 'line' }
}
