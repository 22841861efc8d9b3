import type { ActivityRecord, CallOutcome } from '#contract/activity.ts'
import type { PrincipalKind } from '#contract/core/principal.ts'
import { lowestId, timeOfId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { identifier, type Sql, sql, withValues } from '#lib/db/sql.ts'
import type { Digests } from './digest.ts'

type RecordType = 'data_source' | 'function'

type RecordedCall = Pick<ActivityRecord, 'id' | 'target' | 'source' | 'user_id'> & {
  principal_kind: PrincipalKind
  principal_id: string
  asked_at: Date
}
export type NewRecord = RecordedCall & Digests & { org_id: string; type: RecordType; question_bytes: number }

const INSERTED_COLUMNS = [
  'id',
  'org_id',
  'type',
  'source',
  'target',
  'principal_kind',
  'principal_id',
  'user_id',
  'asked_at',
  'key_id',
  'digest',
  'filters_digest',
  'question_bytes',
] as const satisfies readonly (keyof NewRecord)[]

/** The values of INSERTED_COLUMNS, in that order, each an array with one element for each record. */
const INSERTION = sql`
  insert into activity.records
    (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, counted, key_id, digest,
     filters_digest, question_bytes)
  select id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, false, key_id, digest,
         filters_digest, question_bytes
  from unnest(${[]}::text[], ${[]}::text[], ${[]}::text[], ${[]}::text[], ${[]}::text[], ${[]}::text[], ${[]}::text[],
              ${[]}::text[], ${[]}::timestamptz[], ${[]}::text[], ${[]}::bytea[], ${[]}::bytea[], ${[]}::integer[])
    as asked (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, key_id, digest,
              filters_digest, question_bytes)`

export function insertion(rows: readonly NewRecord[]): Sql {
  const values = INSERTED_COLUMNS.map((column) => rows.map((row) => row[column]))
  return withValues(INSERTION, values)
}

/** How a question ended. `counted` says whether it was spent from the quota. */
export type Outcome = { status: number; duration_ms: number; answer_bytes: number; counted: boolean }
export type Completion = Outcome & { id: string }

/** The lowest and the highest id let Postgres look only at the partitions between them. */
export async function completeRecords(db: Querier, done: readonly Completion[]): Promise<void> {
  const column = <K extends keyof Completion>(key: K) => done.map((one) => one[key])
  const ids = column('id').toSorted()
  await db.query(sql`
    update activity.records as record
    set status = done.status, duration_ms = done.duration_ms, answer_bytes = done.answer_bytes, counted = done.counted
    from unnest(${column('id')}::text[], ${column('status')}::integer[], ${column('duration_ms')}::integer[],
                ${column('answer_bytes')}::integer[], ${column('counted')}::boolean[])
      as done (id, status, duration_ms, answer_bytes, counted)
    where record.id = done.id and record.id between ${ids[0]} and ${ids.at(-1)}`)
}

export type RecordRow = RecordedCall & { [K in 'status' | 'duration_ms' | 'answer_bytes']: number | null }

/** Which records of an organization are meant. Null means any. */
export type RecordFilter = {
  org_id: string
  type: RecordType
  /** Selects the targets that the caller may know of. Undefined if the caller may know of all. */
  knowable: Sql | undefined
  /** Id of a person, or of the principal where there is no person; null for all records of the organization. */
  by: string | null
  user_id: string | null
  target: string | null
  source: ActivityRecord['source'] | null
  outcome: CallOutcome | null
  from: Date | null
  to: Date | null
}

/** A status that is not known yet has no outcome but `unknown`. */
export const OUTCOME = sql`
  case when status is null then 'unknown' when status < 400 then 'answered' when status < 500 then 'refused'
       else 'failed' end`

/**
 * The target as the caller may see it. A source that is not exposed is `unknown` to callers who may not know of it, as one
 * that does not exist; it keeps its name in their questions that it answered, because it was exposed to them then.
 */
export function shownTarget({ knowable }: Pick<RecordFilter, 'knowable'>): Sql {
  if (knowable === undefined) return sql`target`
  return sql`case when status < 400 or target in (${knowable}) then target else 'unknown' end`
}

/** Ids are made by the clock of a process that may differ from the one of `asked_at`. */
const CLOCK_DIFFERENCE_MS = 60_000

/**
 * Times are also conditions on ids, which sort by time, so that only the partitions of that time are looked at and the
 * index of the list finds the records.
 */
export function matching(filter: RecordFilter): Sql {
  const { org_id, type, by, user_id, target, source, outcome, from, to } = filter
  return sql`
    org_id = ${org_id} and type = ${type}
      and (${by}::text is null or coalesce(user_id, principal_id) = ${by})
      and (${user_id}::text is null or user_id = ${user_id})
      and (${target}::text is null or ${shownTarget(filter)} = ${target})
      and (${source}::text is null or source = ${source})
      and (${outcome}::text is null or ${OUTCOME} = ${outcome})
      ${from ? sql`and asked_at >= ${from} and id >= ${lowestAskedAt(from)}` : sql``}
      ${to ? sql`and asked_at < ${to} and id < ${lowestId('act', new Date(to.getTime() + CLOCK_DIFFERENCE_MS))}` : sql``}`
}

/** Returns a border below the ids of all questions that were asked at this time or later. */
export function lowestAskedAt(at: Date): string {
  return lowestId('act', new Date(at.getTime() - CLOCK_DIFFERENCE_MS))
}

/** Most pages are full with records of so many days, so that older partitions are not looked at. */
const FIRST_LOOK_MS = 14 * 24 * 60 * 60_000

type Page = { before: string | null; limit: number; now: Date }

/** Returns one row more than `limit` if there is a next page. */
export async function pageRecords(
  db: Querier,
  filter: RecordFilter,
  { before, limit, now }: Page,
): Promise<RecordRow[]> {
  const newest = before === null ? (filter.to ?? now).getTime() : timeOfId(before)
  const border = lowestId('act', new Date(Math.max(newest - FIRST_LOOK_MS, 0)))
  const rows = await findRecords(db, filter, { atLeast: border, before, limit: limit + 1 })
  if (rows.length > limit) return rows
  return [...rows, ...(await findRecords(db, filter, { before: border, limit: limit + 1 - rows.length }))]
}

/** The newest first. */
function findRecords(
  db: Querier,
  filter: RecordFilter,
  { atLeast, before, limit }: { atLeast?: string; before: string | null; limit: number },
): Promise<RecordRow[]> {
  return db.query<RecordRow>(sql`
    select id, ${shownTarget(filter)} as target, source, principal_kind, principal_id, user_id, asked_at, status, duration_ms, answer_bytes
    from activity.records
    where ${matching(filter)}
      ${atLeast === undefined ? sql`` : sql`and id >= ${atLeast}`}
      ${before === null ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`)
}

/** Deletes at most `limit` records of a partition and returns how many it deleted. */
export async function deleteRecordsBefore(
  db: Querier,
  partition: string,
  before: Date,
  limit: number,
): Promise<number> {
  const table = identifier('activity', partition)
  const rows = await db.query(sql`
    delete from ${table} where id in (select id from ${table} where asked_at < ${before} limit ${limit})
    returning id`)
  return rows.length
}
