import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { type Calibration, unknown } from '../search/calibration.ts'
import type { FindMeasured } from '../search/choice.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Indexes } from '../search/indexes.ts'
import { choosePlan } from '../search/plan.ts'
import { type IndexState, judgeState, relevanceTargetOf, stateOf, tableStateOf, targetOf } from './index-state.ts'
import { findMeasurements, requestMeasurement, type StoredMeasurement } from './store.ts'

/** Questions come in bursts, and a source that is in use is not measured. */
const DELAY_MS = 60_000

/** Whether the text of rows may be embedded with this model: it stays here, or the operator lets it go to providers. */
export type MayEmbedRows = (model: string) => boolean
type Deps = { db: Querier; clock: Clock; mayEmbedRows: MayEmbedRows }
type Measured = NonNullable<StoredMeasurement['measured']>

/** Reads what is measured, and asks the worker to measure again what is not measured of the table as it is now. */
export function createFindMeasured({ db, clock, mayEmbedRows }: Deps): FindMeasured {
  return async (sourceId, entry, indexes) => {
    const unmeasured = unmeasurable(entry, indexes, mayEmbedRows)
    const isIndexed = choosePlan(entry, indexes).method !== 'exact' && !entry.person_settings
    if (!indexes || (unmeasured && !isIndexed)) return { calibration: unmeasured }
    const stored = await findMeasurements(db, sourceId)
    const find = async (target: string, now: IndexState): Promise<Measured | undefined> => {
      const row = stored.find((each) => each.target === target)
      const { isUsable, isDue } = judgeState(row?.measured ?? undefined, now)
      const dueAt = new Date(clock.now().getTime() + DELAY_MS)
      if (isDue && !row?.due_at) await requestMeasurement(db, sourceId, target, dueAt)
      return isUsable ? (row?.measured ?? undefined) : undefined
    }
    const choice = isIndexed ? (await find(targetOf(entry), stateOf(indexes)))?.choice : undefined
    if (unmeasured) return { choice: choice ?? undefined, calibration: unmeasured }
    const relevance = await find(relevanceTargetOf(entry), tableStateOf(indexes))
    return { choice: choice ?? undefined, calibration: relevance?.calibration ?? unknown('not_measured') }
  }
}

/** Why the scores of an entry are never measured. Undefined: they can be. */
function unmeasurable(
  { person_settings, model }: ResolvedEntry,
  indexes: Indexes | undefined,
  mayEmbedRows: MayEmbedRows,
): Calibration | undefined {
  // Nobody can be measured for whom policies by person show rows.
  if (person_settings) return unknown('rows_by_person')
  if (!indexes) return unknown('not_measured')
  return mayEmbedRows(model) ? undefined : unknown('row_text_stays_here')
}

/** The measurement that holds for the entry's index as it is now. Returns undefined if there is none. */
export function currentMeasurement(
  stored: readonly StoredMeasurement[],
  entry: ResolvedEntry,
  indexes: Indexes | undefined,
): Measured | undefined {
  if (entry.person_settings || !indexes) return undefined
  return usable(stored, targetOf(entry), stateOf(indexes))
}

/** The meaning of the entry's scores now, and when it was measured. */
export function currentCalibration(
  stored: readonly StoredMeasurement[],
  entry: ResolvedEntry,
  indexes: Indexes | undefined,
  mayEmbedRows: MayEmbedRows,
): { calibration: Calibration; at: Date | null } {
  const unmeasured = unmeasurable(entry, indexes, mayEmbedRows)
  if (!indexes || unmeasured) return { calibration: unmeasured ?? unknown('not_measured'), at: null }
  const measured = usable(stored, relevanceTargetOf(entry), tableStateOf(indexes))
  if (!measured?.calibration) return { calibration: unknown('not_measured'), at: null }
  return { calibration: measured.calibration, at: measured.measured_at }
}

function usable(stored: readonly StoredMeasurement[], target: string, now: IndexState): Measured | undefined {
  const measured = stored.find((each) => each.target === target)?.measured
  return measured && judgeState(measured, now).isUsable ? measured : undefined
}
