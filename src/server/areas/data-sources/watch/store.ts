import { z } from 'zod'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { readStoredSearch } from '../search/entry.ts'
import { WatchedEntries, type WatchedEntry } from './stored-entry.ts'

type Entries = Readonly<Record<string, WatchedEntry>>

/** Finds the state of the vectors of a source, by the label of the entry. */
export async function findWatched(db: Querier, sourceId: string): Promise<Entries> {
  const [row] = await db.query<{ entries: unknown }>(sql`
    select entries from data_sources.vector_watch where source_id = ${sourceId}`)
  return WatchedEntries.parse(row?.entries ?? {})
}

/** Finds the sources that can be asked and that no night is planned for yet. */
export async function findUnplanned(db: Querier, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select source.id from data_sources.sources as source
    where source.enabled and source.search is not null
      and not exists (select from data_sources.vector_watch as watch where watch.source_id = source.id)
    order by source.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

export async function plan(db: Querier, sourceId: string, dueAt: Date): Promise<void> {
  await db.query(sql`
    insert into data_sources.vector_watch (source_id, due_at)
    select id, ${dueAt} from data_sources.sources where id = ${sourceId}
    on conflict (source_id) do update set due_at = excluded.due_at`)
}

const Due = z.object({
  source_id: z.string(),
  org_id: z.string(),
  database_name: z.string(),
  search: z.unknown().transform(readStoredSearch),
  entries: WatchedEntries,
})
export type DueWatch = z.output<typeof Due>

export async function findDueWatches(db: Querier, now: Date, limit: number): Promise<DueWatch[]> {
  const rows = await db.query<object>(sql`
    select watch.source_id, watch.entries, source.org_id, source.database_name, source.search
    from data_sources.vector_watch as watch
    join data_sources.sources as source on source.id = watch.source_id
    where watch.due_at <= ${now} and source.enabled and source.search is not null
    order by watch.due_at limit ${limit}`)
  return rows.map((row) => Due.parse(row))
}

export async function saveNight(tx: Tx, sourceId: string, entries: Entries, dueAt: Date): Promise<void> {
  await tx.query(sql`
    update data_sources.vector_watch set entries = ${JSON.stringify(entries)}, due_at = ${dueAt}
    where source_id = ${sourceId}`)
}
