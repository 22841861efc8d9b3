import { integer, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'
import { rowSecuritySetting } from './row-security.ts'
import type { EntryQuery } from './statements.ts'

/*
 * Measured with the data of `bench/recall/run.ts`, 100,000 rows of 384 dimensions, ten hits: pgvector's default of 40 finds
 * 0.908 of the right rows. Without a filter 100 finds 0.982 and 200 finds 1.000. A filter of 50 % leaves half of the
 * rows the index looks at: 200 finds 0.983, 400 finds 1.000. At 10 % and 400, ten rows fetched hold 0.995 of the right
 * ones, forty 0.998 and eighty 1.000 at twice the time of forty.
 */
const EF_SEARCH = 200
const EF_SEARCH_FILTERED = 400

/** What must be set on a connection before the statements of this query run on it. */
export function searchSettings({ entry, filters }: Pick<EntryQuery, 'entry' | 'filters'>): Sql {
  const isFiltered = filters.length > 0
  if (entry.index === 'ivfflat') return ivfflatSettings(entry, isFiltered)
  const { exact, exactFiltered, hnsw, hnswFiltered } = SETTINGS[rowSecuritySetting(entry)]
  if (entry.index === null) return isFiltered ? exactFiltered : exact
  return isFiltered ? hnswFiltered : hnsw
}

type RowSecurity = ReturnType<typeof rowSecuritySetting>
/** Built once: a connection that already has these very settings is not set again. */
const SETTINGS = { on: settingsUnder('on'), off: settingsUnder('off') }

function settingsUnder(rowSecurity: RowSecurity) {
  return {
    exact: sql`select ${commonSettings(rowSecurity, false)}`,
    exactFiltered: sql`select ${commonSettings(rowSecurity, true)}`,
    hnsw: hnswSettings(rowSecurity, EF_SEARCH, false),
    hnswFiltered: hnswSettings(rowSecurity, EF_SEARCH_FILTERED, true),
  }
}

/** Relaxed order is enough, because the statement sorts again. */
function hnswSettings(rowSecurity: RowSecurity, efSearch: number, isFiltered: boolean): Sql {
  return sql`
    select ${commonSettings(rowSecurity, isFiltered)},
           pg_catalog.set_config('hnsw.ef_search', '${integer(efSearch)}', false),
           pg_catalog.set_config('hnsw.iterative_scan', 'relaxed_order', false)`
}

/**
 * A filtered query gets its own plan, because a plan for any value does not know how many rows this one leaves. Dates and
 * fractions are written in the form that `answer/values.ts` reads, whatever the defaults of the database are.
 */
function commonSettings(rowSecurity: RowSecurity, isFiltered: boolean): Sql {
  const mode = script(isFiltered ? 'force_custom_plan' : 'auto')
  return sql`pg_catalog.set_config('plan_cache_mode', '${mode}', false),
           pg_catalog.set_config('row_security', '${script(rowSecurity)}', false),
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

function ivfflatSettings(entry: ResolvedEntry, isFiltered: boolean): Sql {
  const probes = Math.ceil(PROBED_SHARE * (entry.lists ?? DEFAULT_LISTS))
  return sql`
    select ${commonSettings(rowSecuritySetting(entry), isFiltered)},
           pg_catalog.set_config('ivfflat.iterative_scan', 'relaxed_order', false),
           pg_catalog.set_config('ivfflat.probes', '${integer(probes)}', false)`
}
