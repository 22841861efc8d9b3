import type { Sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Reader } from '../search/reader.ts'
import { searchSettings } from '../search/settings.ts'
import { busyStatement } from './statements.ts'

/** Ends a measurement before it has a result: `reason` decides when it is tried again. */
export class MeasuringStopped extends Error {
  override readonly name = 'MeasuringStopped'
  readonly reason: 'busy' | 'stopped' | 'aborted' | 'too_large'

  constructor(reason: MeasuringStopped['reason']) {
    super(`measuring an index ended: ${reason}`)
    this.reason = reason
  }
}

/** A table that is measured, and the limits of it. */
export type Measured = {
  readonly db: Reader
  readonly entry: ResolvedEntry
  /** Throws `MeasuringStopped` if the measurement must not go on now. Called before and all through it. */
  readonly permit: () => Promise<void> | void
  readonly budgetMs?: number
}

export const BUDGET_MS = 60_000
/** Database time after which permission is asked again. */
const PERMIT_MS = 200

type Answer<Row> = { readonly rows: readonly Row[]; readonly ms: number }
export type Run = <Row>(entry: ResolvedEntry, statement: Sql) => Promise<Answer<Row>>

/** Runs statements one at a time, counts their time and stops when the budget is spent. */
export function createRunner({ db, permit, entry: { oid }, budgetMs = BUDGET_MS }: Measured): Run {
  let [spentMs, permittedUntil] = [0, 0]
  const read = async <Row>(entry: ResolvedEntry, statement: Sql): Promise<Answer<Row>> => {
    if (spentMs >= budgetMs) throw new MeasuringStopped('too_large')
    const started = performance.now()
    const rows = await db.reads((on) => on.query<Row>(statement), searchSettings({ entry, filters: [] }))
    const ms = performance.now() - started
    spentMs += ms
    return { rows, ms }
  }
  return async (entry, statement) => {
    if (spentMs >= permittedUntil) {
      await permit()
      const [{ busy } = { busy: false }] = (await read<{ busy: boolean }>(entry, busyStatement({ oid }))).rows
      if (busy) throw new MeasuringStopped('busy')
      permittedUntil = spentMs + PERMIT_MS
    }
    return read(entry, statement)
  }
}
