import type { ManagedDb } from '../engine/pools.ts'
import { countTable, type ExactCounts, type FoundColumn, type FoundTable } from './store.ts'

/** Tables beyond it are estimated. Counting reads every page of a table but not what is stored beside it. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024
/** Of all tables of one request. */
const MAX_COUNTED_TABLES = 60
const COUNTING_MS = 4_000

type Listed = { readonly table: FoundTable; readonly columns: readonly FoundColumn[] }

/** Counts tables until the time is over. A table that cannot be counted, such as one that is locked, has no count. */
export async function countSmallTables(
  owner: ManagedDb,
  listed: readonly Listed[],
): Promise<ReadonlyMap<number, ExactCounts>> {
  const end = AbortSignal.timeout(COUNTING_MS)
  const counts = new Map<number, ExactCounts>()
  for (const { table, columns } of listed.filter(isSmall).slice(0, MAX_COUNTED_TABLES)) {
    if (end.aborted) break
    const vectors = columns.filter(isVector)
    const names = vectors.map(({ name }) => name)
    const counted = await countTable(owner, table, names).catch(() => undefined)
    if (counted) counts.set(table.oid, counted)
  }
  return counts
}

export function isVector({ base_type }: Pick<FoundColumn, 'base_type'>): boolean {
  return base_type === 'vector' || base_type === 'halfvec'
}

/** Rows of views and foreign tables are not read: that can run any code and take any time. */
function isSmall({ table: { kind, bytes } }: Listed): boolean {
  return 'rpm'.includes(kind) && bytes !== null && bytes <= MAX_COUNTED_BYTES
}
