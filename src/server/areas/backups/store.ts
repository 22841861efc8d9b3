import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** The result of a backup on schedule. */
export type BackupResult =
  | { readonly place: string; readonly bytes: number; readonly is_verified: boolean }
  | { readonly fault: string }

export type BackupState = {
  /** The end of the last backup that succeeded. */
  readonly good_at: Date | null
  /** The slot of the last one that began, however it ended. */
  readonly last_slot_at: Date | null
  readonly last_fault: string | null
  /** The first slot there was. */
  readonly first_slot_at: Date | null
}

const DAYS_OF_RUNS = 400

/** Returns whether this call was the first for the slot. */
export async function beginSlot(db: Querier, slot: Date, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    insert into backups.runs (slot_at, started_at, state) values (${slot}, ${now}, 'running')
    on conflict (slot_at) do nothing returning slot_at`)
  return rows.length === 1
}

export async function endSlot(db: Querier, slot: Date, now: Date, result: BackupResult): Promise<void> {
  const { place, bytes, is_verified, fault } =
    'fault' in result ? { ...result, place: null, bytes: null, is_verified: false } : { ...result, fault: null }
  await db.query(sql`
    update backups.runs
    set ended_at = ${now}, state = ${fault === null ? 'good' : 'failed'}, place = ${place}, bytes = ${bytes},
        is_verified = ${is_verified}, fault = ${fault}
    where slot_at = ${slot}`)
  await db.query(
    sql`delete from backups.runs where slot_at < ${now}::timestamptz - make_interval(days => ${DAYS_OF_RUNS})`,
  )
}

export async function readState(db: Querier): Promise<BackupState> {
  const [row] = await db.query<BackupState>(sql`
    select (select max(ended_at) from backups.runs where state = 'good') as good_at,
           (select max(slot_at) from backups.runs) as last_slot_at,
           (select min(slot_at) from backups.runs) as first_slot_at,
           (select fault from backups.runs where state <> 'running' order by slot_at desc limit 1) as last_fault`)
  return row!
}
