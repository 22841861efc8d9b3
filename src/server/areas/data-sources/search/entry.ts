import { z } from 'zod'
import { PersonSettings } from '#contract/data-sources/person-settings.ts'
import { ERROR_RATES, MIN_RELEVANCES } from '#contract/data-sources/relevance.ts'
import { DISTANCE_METRICS } from '#contract/data-sources/search-config.ts'
import { FilterType } from '#contract/data-sources/sources.ts'

const ResolvedFilter = z.object({
  type: FilterType,
  pg_type: z.string().describe('As `format_type` gives it, domains followed to their base: what a value is cast to'),
})

/** One searchable table as the catalogue had it when the configuration was saved; names are the catalogue's own. */
export const ResolvedEntry = z.object({
  label: z.string(),
  schema: z.string(),
  table: z.string(),
  vector_column: z.string(),
  vector_type: z.enum(['vector', 'halfvec']),
  extension_schema: z.string().describe('Where the operators of the vector type are'),
  model: z.string(),
  dimensions: z.number(),
  metric: z.enum(DISTANCE_METRICS),
  content: z.array(z.object({ name: z.string(), type: z.string() })).min(1),
  filters: z.record(z.string(), ResolvedFilter).describe('Only those this table has'),
  index: z.enum(['hnsw', 'ivfflat']).nullable().describe('One the metric can use; null means exact search'),
  lists: z.number().optional().describe('Of the IVFFlat index'),
  effort: z.number().optional().describe('Measured: ef_search of HNSW, probes of IVFFlat. Never stored with the entry'),
  oid: z.number(),
  row_security: z
    .boolean()
    .default(false)
    .describe('Rows are seen under policies. False: none applied when this was saved'),
  person_settings: PersonSettings.optional().describe('Set from the person who asks. Absent: nobody is told apart'),
  min_relevance: z.enum(MIN_RELEVANCES).optional().describe('Less relevant hits are left out. Absent: none are'),
  error_rate: z.literal(ERROR_RATES).optional().describe('Share of answerable questions that may be called `no`'),
  version: z.string().describe('Of the vector extension'),
})
export type ResolvedEntry = z.output<typeof ResolvedEntry>

export const ResolvedSearch = z.array(ResolvedEntry)

/** The stored search of a source: null while none is configured, 'unreadable' if this release cannot read it. */
type StoredSearch = readonly ResolvedEntry[] | null | 'unreadable'

/** Returns no entries where none are configured or this release cannot read them. */
export function entriesOf(search: StoredSearch): readonly ResolvedEntry[] {
  return search === null || search === 'unreadable' ? [] : search
}

export function readStoredSearch(stored: unknown): StoredSearch {
  const parsed = ResolvedSearch.nullable().safeParse(stored)
  return parsed.success ? parsed.data : 'unreadable'
}
