import { getSource } from '#contract/data-sources/search-config.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { presentSource } from '../answer/present-source.ts'
import { withoutDatabaseText } from '../search/database-errors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { findVectorIndexes } from '../search/indexes.ts'
import { choosePlan, type Plan, planWarning } from '../search/plan.ts'
import type { OpenReader, Reader, ReadsOn } from '../search/reader.ts'
import { searchSettings } from '../search/settings.ts'
import { findSourceId } from '../store.ts'
import { noSuchSource } from './no-such-source.ts'
import { findConfigured } from './store.ts'

type ShowDeps = { db: Querier; openReader: OpenReader }

const UNREADABLE = 'the stored search configuration cannot be read by this version of the service: save it again'

export function showRoute({ db, openReader }: ShowDeps): Route {
  return route(getSource, async ({ id: typed }, { principal }) => {
    const id = await findSourceId(db, principal.org_id, typed)
    const found = id === undefined ? undefined : await findConfigured(db, id)
    if (!found) throw noSuchSource()
    const { search, warnings, ...source } = found
    const open = () => openReader(principal.org_id, source.database_name)
    const plans = search === null || search === 'unreadable' ? [] : await plansOf(await open(), search)
    const indexWarnings = plans.flatMap(({ entry, plan }) => planWarning(plan, entry) ?? [])
    return {
      ...presentSource(source),
      connection_config: source.connection_config ?? { embedding_configs: [] },
      warnings: [...(search === 'unreadable' ? [UNREADABLE] : []), ...warnings, ...indexWarnings],
      plan: plans.map(({ entry, plan }) => ({ label: entry.label, ...plan })),
    }
  })
}

type Planned = { entry: ResolvedEntry; plan: Plan }

/** Reads the catalogue as questions do, with the rights of their role. */
async function plansOf(reader: Reader, entries: readonly ResolvedEntry[]): Promise<Planned[]> {
  const [first] = entries
  if (!first) return []
  const look = async (on: ReadsOn) => {
    const planned: Planned[] = []
    for (const entry of entries) planned.push({ entry, plan: choosePlan(entry, await findVectorIndexes(on, entry)) })
    return planned
  }
  try {
    return await reader.reads(look, searchSettings({ entry: first, filters: [] }))
  } catch (error) {
    throw withoutDatabaseText(error)
  }
}
