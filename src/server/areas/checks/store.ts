import type { Check } from '#contract/checks/checks.ts'
import { notFound } from '#contract/core/errors.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Stored } from '#edge/route/stored.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { type Sql, sql } from '#lib/db/sql.ts'

/** Notified when a check gets another next slot. */
export const SCHEDULE_CHANNEL = 'checks_schedule'

export type CheckRow = Stored<Omit<Check, 'next_run_at'>> & {
  readonly org_id: string
  readonly app_id: string
  readonly version: number
  readonly next_at: Date | null
  readonly alert_open: boolean
}

const COLUMNS = sql`
  id, org_id, app_id, name, definition, schedule, threshold, enabled, version, next_at, state, state_since,
  consecutive_fails, alert_open, last_verdict, last_run_at, created_by, created_at`

/** Holds off other creations and renamings in the app until the transaction ends. */
export async function lockNames(tx: Tx, appId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`checks ${appId}`}, 0))`)
}

export async function countChecks(tx: Tx, appId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*) from checks.checks where app_id = ${appId}`)
  return row!.count
}

export async function isNameTaken(tx: Tx, appId: string, name: string, exceptId: string | null): Promise<boolean> {
  const rows = await tx.query(sql`
    select from checks.checks where app_id = ${appId} and name = ${name} and id is distinct from ${exceptId}`)
  return rows.length > 0
}

type ConditionColumns = Pick<
  CheckRow,
  'state' | 'state_since' | 'consecutive_fails' | 'alert_open' | 'last_verdict' | 'last_run_at'
>
type NewCheck = Omit<CheckRow, 'enabled' | 'version' | keyof ConditionColumns>

export async function insertCheck(tx: Tx, check: NewCheck): Promise<CheckRow> {
  const [row] = await tx.query<CheckRow>(sql`
    insert into checks.checks
      (id, org_id, app_id, name, definition, schedule, threshold, enabled, next_at, state, state_since,
       created_by, created_at)
    values (${check.id}, ${check.org_id}, ${check.app_id}, ${check.name}, ${JSON.stringify(check.definition)},
      ${JSON.stringify(check.schedule)}, ${check.threshold}, true, ${check.next_at}, 'unknown', ${check.created_at},
      ${check.created_by}, ${check.created_at})
    returning ${COLUMNS}`)
  await notify(tx, SCHEDULE_CHANNEL)
  return row!
}

/** Finds a check by its id or its name. No name looks like an id. Throws "No such check." */
export async function requireCheck(db: Querier, appId: string, idOrName: string): Promise<CheckRow> {
  const [row] = await db.query<CheckRow>(sql`
    select ${COLUMNS} from checks.checks where app_id = ${appId} and (id = ${idOrName} or name = ${idOrName})`)
  if (!row) throw notFound('check')
  return row
}

/** Holds off every other change of the check until the transaction ends. Taken before locks of its runs. */
export async function lockCheck(tx: Tx, id: string): Promise<CheckRow> {
  const row = await findAndLockCheck(tx, id)
  if (!row) throw notFound('check')
  return row
}

/** As `lockCheck`, and returns undefined if it was deleted. */
export async function findAndLockCheck(tx: Tx, id: string): Promise<CheckRow | undefined> {
  const [row] = await tx.query<CheckRow>(sql`select ${COLUMNS} from checks.checks where id = ${id} for update`)
  return row
}

/** Newest first, one row more than `limit`. */
export async function pageChecks(db: Querier, appId: string, { before, limit }: PageQuery): Promise<CheckRow[]> {
  return db.query(sql`
    select ${COLUMNS} from checks.checks
    where app_id = ${appId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

export async function updateCheck(tx: Tx, check: CheckRow): Promise<CheckRow> {
  const [row] = await tx.query<CheckRow>(sql`
    update checks.checks
    set name = ${check.name}, definition = ${JSON.stringify(check.definition)},
        schedule = ${JSON.stringify(check.schedule)}, threshold = ${check.threshold}, enabled = ${check.enabled},
        version = ${check.version}, next_at = ${check.next_at}
    where id = ${check.id}
    returning ${COLUMNS}`)
  await notify(tx, SCHEDULE_CHANNEL)
  return row!
}

/** The runs of the check follow in small steps, see `retention.ts`. */
export async function removeCheck(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from checks.checks where id = ${id}`)
}

export async function saveCondition(tx: Tx, id: string, check: ConditionColumns): Promise<void> {
  await tx.query(sql`
    update checks.checks
    set state = ${check.state}, state_since = ${check.state_since}, consecutive_fails = ${check.consecutive_fails},
        alert_open = ${check.alert_open}, last_verdict = ${check.last_verdict}, last_run_at = ${check.last_run_at}
    where id = ${id}`)
}

/** Locks checks whose next slot has come, leaving those that another process is at. */
export async function lockDueChecks(tx: Tx, now: Date, limit: number): Promise<CheckRow[]> {
  return tx.query(sql`
    select ${COLUMNS} from checks.checks where next_at <= ${now} order by next_at, id limit ${limit}
    for update skip locked`)
}

export async function saveNextSlots(tx: Tx, slots: readonly { id: string; next: Date }[]): Promise<void> {
  if (slots.length === 0) return
  await tx.query(sql`
    update checks.checks set next_at = slot.next
    from unnest(${slots.map(({ id }) => id)}::text[], ${slots.map(({ next }) => next)}::timestamptz[]) as slot (id, next)
    where checks.id = slot.id`)
}

export async function findNextSlot(db: Querier): Promise<Date | null> {
  const [row] = await db.query<{ next: Date | null }>(sql`select min(next_at) as next from checks.checks`)
  return row!.next
}

export async function findCheck(db: Querier, id: string): Promise<CheckRow | undefined> {
  const [row] = await db.query<CheckRow>(sql`select ${COLUMNS} from checks.checks where id = ${id}`)
  return row
}

/** States of the checks that are not paused, for parts that judge an app. */
export async function listStates(db: Querier, appId: string): Promise<{ name: string; state: string; since: Date }[]> {
  return db.query(sql`
    select name, state, state_since as since from checks.checks where app_id = ${appId} and enabled order by name`)
}

/** Selects the checks of the organization, each with the app that it belongs to. */
export function checkApps(orgId: string): Sql {
  return sql`select id, app_id from checks.checks where org_id = ${orgId}`
}
