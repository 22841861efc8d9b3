import { setTimeout } from 'node:timers/promises'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { type Lease, lockLease, runIfLeased } from '#lib/work/lease.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { Calibration } from '../search/calibration.ts'
import type { SearchChoice } from '../search/choice.ts'
import { withoutDatabaseText } from '../search/database-errors.ts'
import { entriesOf, type ResolvedEntry } from '../search/entry.ts'
import { findVectorIndexes, type Indexes } from '../search/indexes.ts'
import { choosePlan, withIndexes } from '../search/plan.ts'
import type { OpenReader, Reader } from '../search/reader.ts'
import { searchSettings } from '../search/settings.ts'
import type { MayEmbedRows } from './current-choice.ts'
import { createForeignVectors } from './foreign-vectors.ts'
import { orInTextOrder } from './in-text-order.ts'
import { type IndexState, relevanceTargetOf, stateOf, tableStateOf, targetOf } from './index-state.ts'
import { measureIndex } from './measure-index.ts'
import { type EmbedRows, measureScores } from './measure-scores.ts'
import { MeasuringStopped } from './runner.ts'
import { type DueMeasurement, findDue, MEASUREMENTS_CHANNEL, postpone, saveMeasurement } from './store.ts'

type Activity = 'stopped' | 'busy' | 'idle'

export type MeasureDeps = {
  db: Db
  clock: Clock
  openReader: OpenReader
  /** Whether the engine of a managed database runs, and whether somebody uses it now. Starts none. */
  activityOf: (orgId: string, databaseName: string) => Promise<Activity>
  mayEmbedRows: MayEmbedRows
  embedRows: EmbedRows
  onError: (error: unknown, due: Pick<DueMeasurement, 'source_id' | 'target'>) => void
}

const POLL_MS = 60_000
const RETRY_MS = 10 * 60_000
/**
 * Short, because the question that asks for a measurement is often still under way when the loop wakes. Only for a
 * measurement that cost nothing yet: otherwise a source that is in use every minute would be measured without end.
 */
const BUSY_RETRY_MS = 30_000
/** A measurement is permitted here and by its runner before its first statement, and then each time it has cost some time. */
const PERMITS_TO_BEGIN = 2
const MEASURED_PER_TURN = 10
/** How long a statement of somebody else is waited for. */
const PATIENCE_MS = 1_000
const PAUSE_MS = 50

/**
 * Measures the indexes and scores whose measurement a question asked for. It reads as the reader of the source, counts against no
 * quota and is not recorded in Activity. A lease for each keeps two processes from measuring the same one.
 */
export function measureLoop(deps: MeasureDeps): Loop {
  const foreignVectors = createForeignVectors(deps.embedRows)
  return {
    name: 'search-measurements',
    wakeOn: MEASUREMENTS_CHANNEL,
    tick: async (now, signal) => {
      let waitMs = POLL_MS
      for (const due of await findDue(deps.db, now, MEASURED_PER_TURN)) {
        if (signal.aborted) break
        const led = await runIfLeased(deps.db, `measure:${due.source_id}:${due.target}`, (lease, lost) =>
          measureDue({ ...deps, foreignVectors }, due, lease, AbortSignal.any([signal, lost])),
        )
        if (led?.result === 'busy') waitMs = BUSY_RETRY_MS
      }
      return new Date(now.getTime() + waitMs)
    },
  }
}

type DueDeps = MeasureDeps & { foreignVectors: ReturnType<typeof createForeignVectors> }

/** Returns `busy` if the source was in use before anything was measured, and is tried again soon. */
async function measureDue(
  deps: DueDeps,
  due: DueMeasurement,
  lease: Lease,
  signal: AbortSignal,
): Promise<'busy' | undefined> {
  const { db, clock, onError } = deps
  const postponeBy = (ms: number) => postpone(db, due, new Date(clock.now().getTime() + ms))
  let permits = 0
  const permit = async () => {
    if (signal.aborted) throw new MeasuringStopped('aborted')
    permits++
    const activity = await activityAtRest(() => deps.activityOf(due.org_id, due.database_name), signal)
    if (activity !== 'idle') throw new MeasuringStopped(activity)
  }
  try {
    await permit()
    const reader = await deps.openReader(due.org_id, due.database_name)
    const result =
      (await measureTarget(reader, due, permit)) ?? (await calibrateTarget(deps, reader, due, permit, signal))
    // Without an index, or with another one than was measured, the next question decides what is due.
    if (!result) await postpone(db, due, null)
    else
      await db.tx(async (tx) => {
        if (await lockLease(tx, lease)) await saveMeasurement(tx, due, { ...result, measured_at: clock.now() })
      })
  } catch (error) {
    const reason = error instanceof MeasuringStopped ? error.reason : undefined
    if (reason === 'aborted') return
    if (!reason) onError(withoutDatabaseText(error), due)
    // An engine that was stopped is not started: the question that starts it asks for the measurement again.
    if (reason === 'stopped') {
      await postpone(db, due, null)
      return undefined
    }
    const isSoon = reason === 'busy' && permits <= PERMITS_TO_BEGIN
    await postponeBy(isSoon ? BUSY_RETRY_MS : RETRY_MS)
    return isSoon ? reason : undefined
  }
}

/** Waits for a moment in which the source is not in use: one statement of somebody is no reason to begin anew later. */
async function activityAtRest(find: () => Promise<Activity>, signal: AbortSignal): Promise<Activity> {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const activity = await find()
    if (activity !== 'busy' || waitedMs >= PATIENCE_MS) return activity
    await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) throw new MeasuringStopped('aborted')
  }
}

type Result = IndexState & { choice: SearchChoice | null; calibration: Calibration | null }

/** Returns undefined if there is no index to measure, or if the index was changed meanwhile. */
async function measureTarget(
  db: Reader,
  due: DueMeasurement,
  permit: () => Promise<void>,
): Promise<Result | undefined> {
  const stored = entriesOf(due.search).find((entry) => targetOf(entry) === due.target)
  if (!stored || stored.person_settings) return undefined
  const before = await readIndexes(db, stored)
  if (!before || choosePlan(stored, before).method === 'exact') return undefined
  const entry = withIndexes(stored, before)
  const choice = await measureOrGiveUp(db, entry, before, permit)
  const after = await readIndexes(db, stored)
  const state = stateOf(before)
  return after && stateOf(after).indexes === state.indexes ? { ...state, choice, calibration: null } : undefined
}

function readIndexes(db: Reader, entry: ResolvedEntry): Promise<Indexes | undefined> {
  return db.reads((on) => findVectorIndexes(on, entry), searchSettings({ entry, filters: [] }))
}

/** Returns null for a table that cannot be measured within the limits. It keeps the default. */
async function measureOrGiveUp(
  db: Reader,
  entry: ResolvedEntry,
  indexes: Indexes,
  permit: () => Promise<void>,
): Promise<SearchChoice | null> {
  const measuring = { db, entry, tableRows: indexes.rows, permit }
  try {
    return (await orInTextOrder((ordersIdsAsText) => measureIndex({ ...measuring, ordersIdsAsText }))) ?? null
  } catch (error) {
    if (error instanceof MeasuringStopped && error.reason === 'too_large') return null
    throw error
  }
}

/** Returns undefined if the target is not that of an entry's scores, or if the table was replaced meanwhile. */
async function calibrateTarget(
  { mayEmbedRows, embedRows, foreignVectors }: DueDeps,
  db: Reader,
  { search, target, org_id }: DueMeasurement,
  permit: () => Promise<void>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const stored = entriesOf(search).find((entry) => relevanceTargetOf(entry) === target)
  if (!stored || stored.person_settings || !mayEmbedRows(stored.model)) return undefined
  const before = await readIndexes(db, stored)
  if (!before) return undefined
  const { model } = stored
  const calibration = await measureScores({
    db,
    entry: withIndexes(stored, before),
    tableRows: before.rows,
    permit,
    embed: (texts) => embedRows({ org_id, model, texts, signal }),
    foreign: () => foreignVectors({ org_id, model, signal }),
  })
  const after = await readIndexes(db, stored)
  return after?.oid === before.oid ? { ...tableStateOf(before), choice: null, calibration } : undefined
}
