import type { ActivityRecord, CallOutcome } from '#contract/activity.ts'
import type { PrincipalKind } from '#contract/core/principal.ts'
import { lowestId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql, withValues } from '#lib/db/sql.ts'
import type { Digests } from './digest.ts'

type RecordType = 'data_source' | 'function'

type Asked = Pick<ActivityRecord, 'id' | 'target' | 'source' | 'user_id'> & {
  principal_kind: PrincipalKind
  principal_id: string
  asked_at: Date
}
export type NewRecord = Asked & Digests & { org_id: string; type: RecordType; question_bytes: number }

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
  return withValues(
    INSERTION,
    INSERTED_COLUMNS.map((column) => rows.map((row) => row[column])),
  )
}

/** How a question ended. `counted` says whether it was spent from the quota. */
export type Outcome = { status: number; duration_ms: number; answer_bytes: number; counted: boolean }
export type Completion = Outcome & { id: string }

export async function completeRecords(db: Querier, done: readonly Completion[]): Promise<void> {
  const column = <K extends keyof Completion>(key: K) => done.map((one) => one[key])
  await db.query(sql`
    update activity.records as record
    set status = done.status, duration_ms = done.duration_ms, answer_bytes = done.answer_bytes, counted = done.counted
    from unnest(${column('id')}::text[], ${column('status')}::integer[], ${column('duration_ms')}::integer[],
                ${column('answer_bytes')}::integer[], ${column('counted')}::boolean[])
      as done (id, status, duration_ms, answer_bytes, counted)
    where record.id = done.id`)
}

export type RecordRow = Asked & { [K in 'status' | 'duration_ms' | 'answer_bytes']: number | null }

/** Which records of an organization are meant. Null means any. */
export type Which = {
  org_id: string
  type: RecordType
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

/** Ids are made by the clock of a process that may differ from the one of `asked_at`. */
const CLOCK_DIFFERENCE_MS = 60_000

/** Times are also conditions on ids, which sort by time, so that the index of the list finds the records of a time. */
export function matching({ org_id, type, by, user_id, target, source, outcome, from, to }: Which): Sql {
  const first = from && lowestId('act', new Date(from.getTime() - CLOCK_DIFFERENCE_MS))
  const end = to && lowestId('act', new Date(to.getTime() + CLOCK_DIFFERENCE_MS))
  return sql`
    org_id = ${org_id} and type = ${type}
      and (${by}::text is null or coalesce(user_id, principal_id) = ${by})
      and (${user_id}::text is null or user_id = ${user_id})
      and (${target}::text is null or target = ${target})
      and (${source}::text is null or source = ${source})
      and (${outcome}::text is null or ${OUTCOME} = ${outcome})
      and (${first}::text is null or (id >= ${first} and asked_at >= ${from}))
      and (${end}::text is null or (id < ${end} and asked_at < ${to}))`
}

export async function pageRecords(
  db: Querier,
  which: Which,
  { before, limit }: { before: string | null; limit: number },
): Promise<RecordRow[]> {
  return db.query<RecordRow>(sql`
    select id, target, source, principal_kind, principal_id, user_id, asked_at, status, duration_ms, answer_bytes
    from activity.records
    where ${matching(which)}
      and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** Deletes at most `limit` records and returns how many it deleted. */
export async function deleteRecordsBefore(db: Querier, before: Date, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from activity.records
    where id in (select id from activity.records where asked_at < ${before} limit ${limit})
    returning id`)
  return rows.length
}
