import { setTimeout as sleep } from 'node:timers/promises'
import { usageError } from '../../../../command/hinted-error.ts'
import type { Cli } from '../../../../terminal/cli.ts'
import { type Connection, quoteName } from '../connection.ts'
import { indexNameFor } from './column-name.ts'
import type { NewColumn } from './new-column.ts'
import type { SwitchTable } from './vector-columns.ts'

/** The largest halfvec that an index takes. */
const MAX_INDEXED_DIMENSIONS = 4_000
const POLL_MS = 1_000

type FoundIndex = {
  oid: string
  name: string
  method: string
  operator_class: string
  operator_schema: string
  options: string[] | null
  valid: boolean
  /** Whether a session builds it now. */
  building: boolean
}
/** An index to build for the new column, of the kind of one that the former column has. */
type NeededIndex = Pick<FoundIndex, 'method' | 'operator_class' | 'operator_schema' | 'options'>

/** Builds the indexes of the former column for the new one beside questions and writes. Returns their number. */
export async function buildIndexes(
  db: Connection,
  table: SwitchTable,
  from: string,
  to: NewColumn,
  cli: Pick<Cli, 'progress' | 'note'>,
): Promise<number> {
  const needed = neededIndexes(await findIndexes(db, table, from), to)
  if (needed.length > 0 && to.dimensions > MAX_INDEXED_DIMENSIONS) {
    cli.note(`Vectors of ${to.dimensions} dimensions cannot be indexed. Questions will compare all rows.`)
    return 0
  }
  for (const index of needed) await buildIndex(db, table, to.name, index, cli)
  return needed.length
}

/** The kind stays, and the operators are those of the new type. Indexes that questions cannot use are left out. */
export function neededIndexes(found: readonly FoundIndex[], to: Pick<NewColumn, 'type'>): NeededIndex[] {
  return found
    .filter(({ valid }) => valid)
    .map(({ method, operator_class, operator_schema, options }) => ({
      method,
      operator_class: operator_class.replace(/^(?:vector|halfvec)_/, `${to.type}_`),
      operator_schema,
      options,
    }))
}

async function buildIndex(
  db: Connection,
  table: SwitchTable,
  column: string,
  index: NeededIndex,
  cli: Pick<Cli, 'progress'>,
): Promise<void> {
  const statement = createIndex(table, column, index)
  for (;;) {
    const found = (await findIndexes(db, table, column)).filter(
      ({ method, operator_class }) => method === index.method && operator_class === index.operator_class,
    )
    if (found.some(({ valid }) => valid)) return
    if (table.isPartitioned) {
      throw usageError(
        `${table.shown} has partitions, on which Postgres builds no index beside writes. Create it yourself, then run this again: ${statement}`,
      )
    }
    const [broken] = found
    // The session of a client that was killed goes on building until its statement ends.
    if (broken?.building) await cli.progress(`Waiting for the index ${broken.name}`, sleep(POLL_MS))
    else if (broken)
      await db.query(`drop index concurrently if exists ${quoteName(table.schema)}.${quoteName(broken.name)}`)
    else await cli.progress(buildLabel(index), db.query(statement))
  }
}

function buildLabel({ method }: NeededIndex): () => string {
  const startedAt = performance.now()
  return () => `Building the ${method} index, ${Math.round((performance.now() - startedAt) / 1000)} s`
}

function createIndex(table: SwitchTable, column: string, index: NeededIndex): string {
  const name = quoteName(indexNameFor(table.name, column, index.operator_class))
  const operators = `${quoteName(index.operator_schema)}.${quoteName(index.operator_class)}`
  const options = index.options?.length ? ` with (${index.options.join(', ')})` : ''
  const concurrently = table.isPartitioned ? '' : ' concurrently'
  return `create index${concurrently} ${name} on ${table.quoted} using ${index.method} (${quoteName(column)} ${operators})${options}`
}

async function findIndexes(db: Connection, { oid }: SwitchTable, column: string): Promise<FoundIndex[]> {
  return await db.query<FoundIndex>(
    `select x.oid::text as oid, x.relname as name, m.amname as method, o.opcname as operator_class,
       n.nspname as operator_schema, x.reloptions as options, i.indisvalid as valid,
       exists (select from pg_stat_progress_create_index p where p.index_relid = x.oid) as building
     from pg_index i join pg_class x on x.oid = i.indexrelid
       join pg_am m on m.oid = x.relam and m.amname in ('hnsw', 'ivfflat')
       join pg_opclass o on o.oid = i.indclass[0] join pg_namespace n on n.oid = o.opcnamespace
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indrelid = $1 and a.attname = $2 and i.indpred is null order by x.relname`,
    [oid, column],
  )
}
