import type { SourcePlan } from '#contract/data-sources/search-config.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'

/** How an entry is searched, and why. */
export type Plan = Omit<SourcePlan, 'label'>

export type VectorIndex = {
  name: string
  method: 'hnsw' | 'ivfflat'
  operator_class: string
  /** False while it is being built, and after a build that failed. */
  valid: boolean
  /** Covers only the rows that its WHERE clause chooses. */
  partial: boolean
  /** Of an IVFFlat index. */
  lists: number
}

export type Indexes = {
  oid: number
  /** https://www.postgresql.org/docs/15/catalog-pg-class.html, relkind */
  kind: string
  /** Of the vector extension; null when the database no longer has it. */
  version: string | null
  found: VectorIndex[]
}

type Named = Pick<ResolvedEntry, 'schema' | 'table' | 'vector_column' | 'vector_type' | 'metric'>

/** The vector indexes of an entry's column as they are now. Undefined when there is no table of that name any more. */
export async function findVectorIndexes(on: Pick<Tx, 'query'>, entry: Named): Promise<Indexes | undefined> {
  const rows = await on.query<Omit<Indexes, 'found'> & (VectorIndex | { name: null })>(sql`
    select c.oid::int8 as oid, c.relkind::text as kind,
           (select e.extversion from pg_catalog.pg_extension e where e.extname = 'vector') as version,
           i.name, i.method, i.operator_class, i.valid, i.partial, i.lists
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join lateral (
      select x.relname as name, m.amname as method, o.opcname as operator_class,
             d.indisvalid as valid, d.indpred is not null as partial,
             coalesce((select option_value::int from pg_catalog.pg_options_to_table(x.reloptions)
                       where option_name = 'lists'), 100) as lists
      from pg_catalog.pg_index d
      join pg_catalog.pg_class x on x.oid = d.indexrelid
      join pg_catalog.pg_am m on m.oid = x.relam and m.amname in ('hnsw', 'ivfflat')
      join pg_catalog.pg_opclass o on o.oid = d.indclass[0]
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.indkey[0]
      where d.indrelid = c.oid and a.attname = ${entry.vector_column}::text
    ) i on true
    where n.nspname = ${entry.schema}::text and c.relname = ${entry.table}::text
    order by i.name`)
  const [first] = rows
  if (!first) return undefined
  const { oid, kind, version } = first
  return { oid, kind, version, found: rows.filter((row) => row.name !== null) }
}

const CLASSES = { cosine: 'cosine_ops', l2: 'l2_ops', inner_product: 'ip_ops' } as const

/** Chooses HNSW before IVFFlat, because it finds more of the right rows in less time. */
export function choosePlan(entry: Named, indexes: Indexes | undefined): Plan {
  const table = `${entry.schema}.${entry.table}`
  if (!indexes) return exact(`${table} is gone: save the configuration again`)
  const { version, found, kind } = indexes
  if (version === null) return exact('the extension vector is gone from this database')
  if (!searchesOn({ version })) return exact(`the extension vector is ${version}: indexes are used from 0.8 on`)
  if (kind === 'v') return exact(`${table} is a view, which has no index of its own`)
  const place = `"${entry.vector_column}" of ${table}`
  const [near] = found
  if (!near) return exact(`${place} has no hnsw or ivfflat index`)
  const wanted = `${entry.vector_type}_${CLASSES[entry.metric]}`
  const usable = found.filter((index) => index.operator_class === wanted && index.valid && !index.partial)
  const best = usable.find(({ method }) => method === 'hnsw') ?? usable[0]
  return best ? byIndex(best, entry.metric) : exact(`${place} ${whyNot(near, wanted, entry.metric)}`)
}

function exact(reason: string): Plan {
  return { method: 'exact', index: null, reason }
}

function byIndex({ name, method }: VectorIndex, metric: Named['metric']): Plan {
  const reason = `the index "${name}" serves ${metric}; a question whose filters leave few rows is searched exactly`
  return { method, index: name, reason }
}

function whyNot(index: VectorIndex, wanted: string, metric: Named['metric']): string {
  if (index.operator_class !== wanted) return `has an index with ${index.operator_class}, which ${metric} cannot use`
  if (!index.valid) return `has the index "${index.name}", which is not valid: still being built, or its build failed`
  return `has the index "${index.name}", which covers only some of the rows`
}

/** The entry as a question needs it with these indexes: the same object when nothing differs from what was saved. */
export function withIndexes(entry: ResolvedEntry, indexes: Indexes | undefined): ResolvedEntry {
  const { method } = choosePlan(entry, indexes)
  const index = method === 'exact' ? null : method
  const oid = indexes?.oid ?? entry.oid
  const version = indexes?.version ?? entry.version
  const lists = index === 'ivfflat' ? listsOf(indexes!) : undefined
  const isSame = index === entry.index && oid === entry.oid && version === entry.version && lists === entry.lists
  return isSame ? entry : { ...entry, index, oid, version, lists }
}

/** The largest there are: the planner chooses among several indexes by itself. */
function listsOf({ found }: Indexes): number {
  return Math.max(...found.filter(({ method }) => method === 'ivfflat').map(({ lists }) => lists))
}

/** What a save and a look at the configuration warn of; undefined when there is nothing to say. */
export function planWarning({ method, reason }: Plan, { version }: Pick<ResolvedEntry, 'version'>): string | undefined {
  // A save warns once of an old extension, whatever the number of entries.
  if (method !== 'exact' || !searchesOn({ version })) return undefined
  return `${reason}: it is searched exactly, row by row`
}

/** From 0.8 on an index scan goes on until there are enough hits. */
export function searchesOn({ version }: { version: string }): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 0 || minor >= 8
}
