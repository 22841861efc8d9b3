import { integer, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'
import { rowSecuritySetting } from './row-security.ts'
import type { Selectivity } from './selectivity.ts'
import type { EntryQuery } from './statements.ts'

/*
 * Used until an index is measured. With `bench/recall/run.ts text`, 30,000 package descriptions and 200 questions of
 * people, 40 finds 0.970 of the right rows, 200 finds 0.989, 400 finds 0.993 and 800 finds 0.997, for 1.6, 4.7 and 8.5 ms
 * of processor time at 40, 200 and 400. A filter leaves fewer of the rows that the index looks at, so it gets twice as
 * much. Of synthetic rows under a filter of 10 %, ten rows fetched hold 0.995 of the right ones, forty 0.998.
 */
export const EF_SEARCH = 400
/** Largest value that pgvector accepts. */
const MAX_EF_SEARCH = 1_000
/** The values of `hnsw.ef_search` that are tried when an index is measured. */
export const EF_SEARCH_STEPS = [40, 60, 80, 120, 160, 200, 300, 400, 600, 800, MAX_EF_SEARCH] as const

/** `selectivity`: of the policies, for the person who asks. */
type SettingsQuery = Pick<EntryQuery, 'entry' | 'filters'> & { readonly selectivity?: Selectivity }

/** Settings that a connection needs before the statements of this query run on it. */
export function searchSettings({ entry, filters, selectivity }: SettingsQuery): Sql {
  // Policies leave fewer rows, as filters do.
  const isFiltered = filters.length > 0 || (entry.person_settings !== undefined && selectivity !== 'most')
  const sorts = selectivity === undefined || selectivity === 'few'
  if (entry.index === 'ivfflat') return ivfflatSettings(entry, isFiltered, sorts)
  if (entry.index !== null && !sorts) return hnswSettings('on', entry.effort ?? EF_SEARCH, isFiltered, sorts)
  const { exact, exactFiltered, hnsw, hnswFiltered } = SETTINGS[rowSecuritySetting(entry)]
  if (entry.index === null) return isFiltered ? exactFiltered : exact
  const byEffort = isFiltered ? hnswFiltered : hnsw
  return byEffort.get(entry.effort ?? EF_SEARCH) ?? byEffort.get(EF_SEARCH)!
}

type RowSecurity = ReturnType<typeof rowSecuritySetting>
/** Built once: a connection that already has these very settings is not set again. */
const SETTINGS = { on: settingsUnder('on'), off: settingsUnder('off') }

function settingsUnder(rowSecurity: RowSecurity) {
  const byEffort = (isFiltered: boolean) =>
    new Map<number, Sql>(EF_SEARCH_STEPS.map((effort) => [effort, hnswSettings(rowSecurity, effort, isFiltered)]))
  return {
    exact: sql`select ${commonSettings(rowSecurity, false)}`,
    exactFiltered: sql`select ${commonSettings(rowSecurity, true)}`,
    hnsw: byEffort(false),
    hnswFiltered: byEffort(true),
  }
}

/** Relaxed order is enough, because the statement sorts again. A filter leaves fewer of the rows, so it gets twice as many. */
function hnswSettings(rowSecurity: RowSecurity, effort: number, isFiltered: boolean, sorts = true): Sql {
  const efSearch = isFiltered ? Math.min(2 * effort, MAX_EF_SEARCH) : effort
  return sql`
    select ${commonSettings(rowSecurity, isFiltered, sorts)},
           pg_catalog.set_config('hnsw.ef_search', '${integer(efSearch)}', false),
           pg_catalog.set_config('hnsw.iterative_scan', 'relaxed_order', false)`
}

/**
 * A filtered query gets its own plan, because a plan for any value does not know how many rows this one leaves. Dates and
 * fractions are written in the form that `answer/values.ts` reads, whatever the defaults of the database are. Without
 * `sorts` Postgres takes the vector index, whose order needs no sort: it cannot estimate policies, and would otherwise
 * read and sort the rows of a person who sees many.
 */
function commonSettings(rowSecurity: RowSecurity, isFiltered: boolean, sorts = true): Sql {
  const mode = script(isFiltered ? 'force_custom_plan' : 'auto')
  return sql`pg_catalog.set_config('plan_cache_mode', '${mode}', false),
           pg_catalog.set_config('row_security', '${script(rowSecurity)}', false),
           pg_catalog.set_config('enable_sort', '${script(sorts ? 'on' : 'off')}', false),
           pg_catalog.set_config('datestyle', 'ISO', false),
           pg_catalog.set_config('extra_float_digits', '1', false)`
}

/**
 * Share of the lists of an IVFFlat index that is searched. With rows / 1000 lists a share of 0.2 finds 0.938 of the
 * right rows (0.892 under a filter of 10 %), 0.4 finds 0.990 (0.970), 0.6 finds 1.000 (0.995); with the root of the rows
 * as lists 0.990 (0.958), 0.998 (0.992), 1.000 (1.000). It takes 0.7 of the time of reading every row: this index cannot
 * be both fast and right where clusters overlap. A share, because a fixed number would be all of ten lists and almost
 * none of a thousand.
 */
const PROBED_SHARE = 0.6
/** The number of lists that pgvector makes unless told otherwise. */
const DEFAULT_LISTS = 100

function ivfflatSettings(entry: ResolvedEntry, isFiltered: boolean, sorts: boolean): Sql {
  const measured = entry.effort && Math.min(isFiltered ? 2 * entry.effort : entry.effort, probesOf(entry, 1))
  const probes = measured ?? defaultProbes(entry)
  return sql`
    select ${commonSettings(rowSecuritySetting(entry), isFiltered, sorts)},
           pg_catalog.set_config('ivfflat.iterative_scan', 'relaxed_order', false),
           pg_catalog.set_config('ivfflat.probes', '${integer(probes)}', false)`
}

/** The number of lists that are searched until the index is measured. */
export function defaultProbes(entry: Pick<ResolvedEntry, 'lists'>): number {
  return probesOf(entry, PROBED_SHARE)
}

/** The number of lists that are this share of all lists of the index. */
export function probesOf({ lists = DEFAULT_LISTS }: Pick<ResolvedEntry, 'lists'>, share: number): number {
  return Math.ceil(share * lists)
}
