import { getSource, type SourcePlan } from '#contract/data-sources/search-config.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { presentSource } from '../answer/present-source.ts'
import { currentCalibration, currentMeasurement, type MayEmbedRows } from '../measure/current-choice.ts'
import { type MeasuredPlan, measuredPlan } from '../measure/measured-plan.ts'
import { presentCalibration } from '../measure/present-calibration.ts'
import { findMeasurements, type StoredMeasurement } from '../measure/store.ts'
import { withoutDatabaseText } from '../search/database-errors.ts'
import { entriesOf, type ResolvedEntry } from '../search/entry.ts'
import { findVectorIndexes } from '../search/indexes.ts'
import { planWarning } from '../search/plan.ts'
import type { OpenReader, Reader, ReadsOn } from '../search/reader.ts'
import { searchSettings } from '../search/settings.ts'
import { findSourceId } from '../store.ts'
import { presentVectors } from '../watch/present-vectors.ts'
import { findWatched } from '../watch/store.ts'
import { noSuchSource } from './no-such-source.ts'
import { findConfigured } from './store.ts'

export type ShowDeps = {
  db: Querier
  openReader: OpenReader
  /** Returns how old the answers of a database can be; 0 if they are current. */
  maxStalenessSeconds: (orgId: string, databaseName: string) => Promise<number>
  /** Whether indexes are searched as they were measured. */
  measuresIndexes: boolean
  mayEmbedRows: MayEmbedRows
}

const UNREADABLE = 'the stored search configuration cannot be read by this version of the service: save it again'

export function showRoute(deps: ShowDeps): Route {
  const { db, openReader, maxStalenessSeconds, measuresIndexes } = deps
  return route(getSource, async ({ id: typed }, { principal }) => {
    const id = await findSourceId(db, principal.org_id, typed)
    const found = id === undefined ? undefined : await findConfigured(db, id)
    if (!found) throw noSuchSource()
    const { search, warnings, ...source } = found
    const open = () => openReader(principal.org_id, source.database_name)
    const measured = measuresIndexes ? await findMeasurements(db, source.id) : undefined
    const plans = await plansOf(open, entriesOf(search), { measured, mayEmbedRows: deps.mayEmbedRows })
    const indexWarnings = plans.flatMap(({ entry, plan, isFastest }) =>
      isFastest ? [] : (planWarning(plan, entry) ?? []),
    )
    return {
      ...presentSource(source),
      connection_config: source.connection_config ?? { embedding_configs: [] },
      warnings: [...(search === 'unreadable' ? [UNREADABLE] : []), ...warnings, ...indexWarnings],
      max_staleness_seconds: await maxStalenessSeconds(principal.org_id, source.database_name),
      plan: plans.map(({ entry, plan, relevance }) => ({ label: entry.label, ...plan, relevance })),
      vectors: presentVectors(entriesOf(search), await findWatched(db, source.id)),
    }
  })
}

/** `isFastest`: an exact search was measured to be faster than the index, so nothing has to be changed. */
type Planned = { entry: ResolvedEntry; plan: MeasuredPlan; relevance: SourcePlan['relevance']; isFastest: boolean }
/** Nothing is measured where that is switched off. */
type Measurements = { measured: readonly StoredMeasurement[] | undefined; mayEmbedRows: MayEmbedRows }

/** Reads the catalogue as questions do, with the rights of their role. */
async function plansOf(
  open: () => Promise<Reader>,
  entries: readonly ResolvedEntry[],
  { measured, mayEmbedRows }: Measurements,
): Promise<Planned[]> {
  const [first] = entries
  if (!first) return []
  const reader = await open()
  const look = async (on: ReadsOn) => {
    const planned: Planned[] = []
    for (const entry of entries) {
      const indexes = await findVectorIndexes(on, entry)
      const measurement = currentMeasurement(measured ?? [], entry, indexes)
      const isFastest = measurement?.choice?.reason === 'exact_is_cheaper'
      const relevance = measured ? presentCalibration(currentCalibration(measured, entry, indexes, mayEmbedRows)) : null
      planned.push({ entry, plan: measuredPlan(entry, indexes, measurement), relevance, isFastest })
    }
    return planned
  }
  try {
    return await reader.reads(look, searchSettings({ entry: first, filters: [] }))
  } catch (error) {
    throw withoutDatabaseText(error)
  }
}
