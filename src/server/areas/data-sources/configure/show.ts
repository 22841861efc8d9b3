import { ServiceError } from '#contract/core/errors.ts'
import { getSource } from '#contract/data-sources/search-config.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { presentSource } from '../answer/present-source.ts'
import { wordless } from '../search/database-errors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { choosePlan, findVectorIndexes, type Plan, planWarning } from '../search/plan.ts'
import type { Reader } from '../search/reader.ts'
import { searchSettings } from '../search/statements.ts'
import { findSourceId } from '../store.ts'
import { findConfigured } from './store.ts'

export type ShowDeps = {
  db: Querier
  /** Inside the managed database, as its reader. */
  openReader: (orgId: string, databaseName: string) => Promise<Reader>
}

export function showRoute({ db, openReader }: ShowDeps): Route {
  return route(getSource, async ({ id: typed }, { principal }) => {
    const id = await findSourceId(db, principal.org_id, typed)
    const found = id === undefined ? undefined : await findConfigured(db, id)
    if (!found) throw new ServiceError('NOT_FOUND', 'No such data source.')
    const { search, warnings, ...source } = found
    const open = () => openReader(principal.org_id, source.database_name)
    const plans = search === null ? [] : await plansOf(await open(), search)
    const indexWarnings = plans.flatMap(({ entry, plan }) => planWarning(plan, entry) ?? [])
    return {
      ...presentSource(source),
      connection_config: source.connection_config ?? { embedding_configs: [] },
      warnings: [...warnings, ...indexWarnings],
      plan: plans.map(({ entry, plan }) => ({ label: entry.label, ...plan })),
    }
  })
}

type Planned = { entry: ResolvedEntry; plan: Plan }

/** Reads the catalogue as questions do, with the rights of their role. */
async function plansOf(reader: Reader, entries: readonly ResolvedEntry[]): Promise<Planned[]> {
  const [first] = entries
  if (!first) return []
  const look = (on: Parameters<typeof findVectorIndexes>[0]) =>
    entries.reduce<Promise<Planned[]>>(async (before, entry) => {
      const planned = await before
      return [...planned, { entry, plan: choosePlan(entry, await findVectorIndexes(on, entry)) }]
    }, Promise.resolve([]))
  try {
    return await reader.reads(look, searchSettings({ entry: first, filters: [] }))
  } catch (error) {
    throw wordless(error)
  }
}
