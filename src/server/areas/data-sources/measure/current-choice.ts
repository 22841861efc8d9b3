import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { FindChoice } from '../search/choice.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Indexes } from '../search/indexes.ts'
import { choosePlan } from '../search/plan.ts'
import { judgeState, stateOf, targetOf } from './index-state.ts'
import { findMeasurements, requestMeasurement, type StoredMeasurement } from './store.ts'

/** Questions come in bursts, and a source that is in use is not measured. */
const DELAY_MS = 60_000

/** Reads the stored measurement, and asks the worker for another if there is none for the index as it is now. */
export function createFindChoice({ db, clock }: { db: Querier; clock: Clock }): FindChoice {
  return async (sourceId, entry, indexes) => {
    // Nobody can be measured for whom policies by person show rows.
    if (!indexes || entry.person_settings || choosePlan(entry, indexes).method === 'exact') return undefined
    const target = targetOf(entry)
    const stored = (await findMeasurements(db, sourceId)).find((each) => each.target === target)
    const { isUsable, isDue } = judgeState(stored?.measured ?? undefined, stateOf(indexes))
    const dueAt = new Date(clock.now().getTime() + DELAY_MS)
    if (isDue && !stored?.due_at) await requestMeasurement(db, sourceId, target, dueAt)
    return isUsable ? (stored?.measured?.choice ?? undefined) : undefined
  }
}

/** The measurement that holds for the entry's index as it is now. Returns undefined if there is none. */
export function currentMeasurement(
  stored: readonly StoredMeasurement[],
  entry: ResolvedEntry,
  indexes: Indexes | undefined,
): StoredMeasurement['measured'] | undefined {
  if (entry.person_settings) return undefined
  const measured = stored.find(({ target }) => target === targetOf(entry))?.measured
  return indexes && measured && judgeState(measured, stateOf(indexes)).isUsable ? measured : undefined
}
