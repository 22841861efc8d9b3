import { z } from 'zod'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { Calibration } from '../search/calibration.ts'
import { SearchChoice } from '../search/choice.ts'
import { readStoredSearch } from '../search/entry.ts'
import type { IndexState } from './index-state.ts'

/** A NOTIFY on this channel means that a measurement is due. */
export const MEASUREMENTS_CHANNEL = 'search_measurements'

const Stored = z.object({
  target: z.string(),
  due_at: z.date().nullable(),
  measured: z
    .object({
      indexes: z.string(),
      rows: z.number(),
      choice: SearchChoice.nullable().describe('Null: the table could not be measured within the limits').catch(null),
      calibration: Calibration.nullable().describe('Null for the row of an index').catch(null),
      measured_at: z.date(),
    })
    .nullable(),
})
export type StoredMeasurement = z.output<typeof Stored>

export async function findMeasurements(db: Querier, sourceId: string): Promise<StoredMeasurement[]> {
  const rows = await db.query<{ target: string; due_at: Date | null; measured_at: Date | null }>(sql`
    select target, due_at, indexes, rows, choice, calibration, measured_at
    from data_sources.search_measurements where source_id = ${sourceId}`)
  return rows.map(({ target, due_at, ...measured }) =>
    Stored.parse({ target, due_at, measured: measured.measured_at && measured }),
  )
}

/** Makes a measurement due and wakes the worker. Does nothing if it is due already or the source is gone. */
export async function requestMeasurement(db: Querier, sourceId: string, target: string, dueAt: Date): Promise<void> {
  await db.query(sql`
    with requested as (
      insert into data_sources.search_measurements as stored (source_id, target, due_at)
      select id, ${target}, ${dueAt} from data_sources.sources where id = ${sourceId}
      on conflict (source_id, target) do update set due_at = excluded.due_at where stored.due_at is null
      returning target)
    select pg_notify(${MEASUREMENTS_CHANNEL}, '') from requested`)
}

const Due = z.object({
  source_id: z.string(),
  target: z.string(),
  org_id: z.string(),
  database_name: z.string(),
  search: z.unknown().transform(readStoredSearch),
})
export type DueMeasurement = z.output<typeof Due>

export async function findDue(db: Querier, now: Date, limit: number): Promise<DueMeasurement[]> {
  const rows = await db.query<object>(sql`
    select due.source_id, due.target, source.org_id, source.database_name, source.search
    from data_sources.search_measurements as due
    join data_sources.sources as source on source.id = due.source_id
    where due.due_at <= ${now}
    order by due.due_at limit ${limit}`)
  return rows.map((row) => Due.parse(row))
}

type Key = Pick<DueMeasurement, 'source_id' | 'target'>

/** Sets when the measurement is tried again. Null: when the next question asks for it. */
export async function postpone(db: Querier, { source_id, target }: Key, until: Date | null): Promise<void> {
  await db.query(sql`
    update data_sources.search_measurements set due_at = ${until}
    where source_id = ${source_id} and target = ${target}`)
}

type Saved = IndexState & { choice: SearchChoice | null; calibration: Calibration | null; measured_at: Date }

export async function saveMeasurement(tx: Tx, { source_id, target }: Key, saved: Saved): Promise<void> {
  await tx.query(sql`
    update data_sources.search_measurements
    set due_at = null, indexes = ${saved.indexes}, rows = ${saved.rows}, choice = ${JSON.stringify(saved.choice)},
        calibration = ${saved.calibration && JSON.stringify(saved.calibration)}, measured_at = ${saved.measured_at}
    where source_id = ${source_id} and target = ${target}`)
}

/** Removes measurements of a source whose configuration no longer has their target. */
export async function keepMeasurements(tx: Tx, sourceId: string, targets: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from data_sources.search_measurements
    where source_id = ${sourceId} and target <> all(${targets}::text[])`)
}
