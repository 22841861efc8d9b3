import type { SourcePlan } from '#contract/data-sources/search-config.ts'
import type { SearchChoice } from './choice.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Indexes, VectorIndex } from './indexes.ts'
import { METRICS } from './metrics.ts'

export type Plan = Pick<SourcePlan, 'method' | 'index' | 'reason'>

type PlannedEntry = Pick<ResolvedEntry, 'schema' | 'table' | 'vector_column' | 'vector_type' | 'metric'>

/** Chooses HNSW before IVFFlat, because it finds more of the right rows in less time. */
export function choosePlan(entry: PlannedEntry, indexes: Indexes | undefined): Plan {
  const table = `${entry.schema}.${entry.table}`
  if (!indexes) return exact(`${table} does not exist anymore: save the configuration again`)
  const { version, found, kind } = indexes
  if (version === null) return exact('the extension vector is no longer installed in this database')
  if (!scansIteratively({ version }))
    return exact(`the extension vector has version ${version}: indexes are used from 0.8 on`)
  if (kind === 'v') return exact(`${table} is a view, which has no index of its own`)
  const place = `"${entry.vector_column}" of ${table}`
  const [first] = found
  if (!first) return exact(`${place} has no hnsw or ivfflat index`)
  const operatorClass = `${entry.vector_type}_${METRICS[entry.metric].operatorClass}`
  const usable = found.filter((index) => index.operator_class === operatorClass && index.valid && !index.partial)
  const best = usable.find(({ method }) => method === 'hnsw') ?? usable[0]
  return best ? byIndex(best, entry.metric) : exact(`${place} ${whyNot(first, operatorClass, entry.metric)}`)
}

function exact(reason: string): Plan {
  return { method: 'exact', index: null, reason }
}

function byIndex({ name, method }: VectorIndex, metric: PlannedEntry['metric']): Plan {
  const reason = `the index "${name}" supports ${metric}; questions whose filters match few rows use an exact search`
  return { method, index: name, reason }
}

function whyNot(index: VectorIndex, operatorClass: string, metric: PlannedEntry['metric']): string {
  if (index.operator_class !== operatorClass)
    return `has an index with ${index.operator_class}, which ${metric} cannot use`
  if (!index.valid) return `has the index "${index.name}", which is not valid: still being built, or its build failed`
  return `has the index "${index.name}", which covers only some of the rows`
}

/** Returns the entry with these indexes, searched as measured: the same object if nothing differs. */
export function withIndexes(
  entry: ResolvedEntry,
  indexes: Indexes | undefined,
  choice?: Pick<SearchChoice, 'method' | 'effort'>,
): ResolvedEntry {
  const { method } = choosePlan(entry, indexes)
  const index = method === 'exact' || choice?.method === 'exact' ? null : method
  const next = {
    index,
    oid: indexes?.oid ?? entry.oid,
    version: indexes?.version ?? entry.version,
    lists: index === 'ivfflat' ? listsOf(indexes!) : undefined,
    effort: index === null ? undefined : (choice?.effort ?? undefined),
  }
  const isSame = Object.entries(next).every(([key, value]) => entry[key as keyof typeof next] === value)
  return isSame ? entry : { ...entry, ...next }
}

/** The most lists of any index, because the planner chooses among several indexes by itself. */
function listsOf({ found }: Indexes): number {
  return Math.max(...found.filter(({ method }) => method === 'ivfflat').map(({ lists }) => lists))
}

/** The warning for saving and showing the configuration. Returns undefined if an index is used. */
export function planWarning({ method, reason }: Plan, { version }: Pick<ResolvedEntry, 'version'>): string | undefined {
  // A save warns once of an old extension, whatever the number of entries.
  if (method !== 'exact' || !scansIteratively({ version })) return undefined
  return `${reason}: questions compare all rows`
}

/** Whether an index scan goes on until there are enough hits, which pgvector does from 0.8 on. */
export function scansIteratively({ version }: { version: string }): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 0 || minor >= 8
}
