import { createHash } from 'node:crypto'
import type { Db } from '#lib/db/db.ts'
import { addPartitions } from '#lib/db/partitions/partitions.ts'
import { script, sql } from '#lib/db/sql.ts'
import { lowestIdAt } from '#lib/ids.ts'
import { RECORDS } from '../../src/server/areas/activity/partitions.ts'

const DAY_MS = 24 * 60 * 60_000
const DAYS = 365
/** Days for which the ledger of notifications is kept. */
const LEDGER_DAYS = 90
const DAYS_PER_STATEMENT = 30
/** Digits of an id that hold its time, with the prefix of four characters. */
const TIME_DIGITS = 14

/**
 * Rows of the measured organization on a day: records of Activity, and deliveries that were sent. The others have one of
 * each. With `dayStep` 5 only every fifth day has rows.
 */
export type Year = { recordsPerDay: number; deliveriesPerDay: number; dayStep: number }

/** The organization that is measured. Every other one is `org_fill_<n>`. */
export type Measured = { orgId: string; destination: string }

/**
 * Adds `others` organizations with a person, a token, a source and a destination each, and a year of rows. Ids begin
 * with the time of their row, as the product's do.
 */
export async function fill(db: Db, measured: Measured, others: number, year: Year): Promise<void> {
  await fillAccounts(db, others)
  await fillDestinations(db, measured, others)
  await fillRecords(db, measured, others, year)
  await fillLedger(db, measured, others, year)
  await db.query(script('vacuum analyze'))
}

async function fillAccounts(db: Db, others: number): Promise<void> {
  const now = new Date()
  await db.query(sql`
    insert into auth.orgs (id, name, slug, created_at)
    select 'org_fill_' || n, 'Organization ' || n, 'fill-' || n, ${now} from generate_series(1, ${others}::int) n`)
  await db.query(sql`
    insert into auth.users (id, email, created_at)
    select 'usr_fill_' || n, 'fill' || n || '@example.com', ${now} from generate_series(1, ${others}::int) n`)
  await db.query(sql`
    insert into auth.memberships (org_id, user_id, role, created_at)
    select 'org_fill_' || n, 'usr_fill_' || n, 'owner', ${now} from generate_series(1, ${others}::int) n`)
  await db.query(sql`
    insert into auth.api_tokens (id, org_id, user_id, name, hash, epoch, created_at)
    select 'tok_fill_' || n, 'org_fill_' || n, 'usr_fill_' || n, 'fill', sha256(n::text::bytea), 'fill', ${now}
    from generate_series(1, ${others}::int) n`)
  await db.query(sql`
    insert into data_sources.sources (id, org_id, database_name, name, exposed, min_role, created_at, updated_at)
    select 'src_fill_' || n, 'org_fill_' || n, 'handbook', 'handbook', true, 'viewer', ${now}, ${now}
    from generate_series(1, ${others}::int) n`)
}

/** Each other destination waits for its time, so that a claim finds what is due among all of them. */
async function fillDestinations(db: Db, { orgId, destination }: Measured, others: number): Promise<void> {
  await db.query(sql`
    insert into notifications.destinations (key, org_id, kind, max_in_flight, max_per_message, first_at, retry_at)
    select 'webhook:fill_' || n, 'org_fill_' || n, 'webhook', 4, 1, now() + interval '1 day', now() + interval '1 day'
    from generate_series(1, ${others}::int) n
    union all select ${destination}, ${orgId}, 'webhook', 1000, 1, null, null`)
}

/** The records of organizations are mixed, in the table as in the order of their ids. */
async function fillRecords(db: Db, measured: Measured, others: number, year: Year): Promise<void> {
  await addPartitions(db, RECORDS, new Date(Date.now() - DAYS * DAY_MS), Math.ceil(DAYS / RECORDS.days))
  for (let first = 0; first < DAYS; first += DAYS_PER_STATEMENT) {
    await db.query(sql`
      insert into activity.records (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at,
        counted, key_id, digest, question_bytes, status, duration_ms, answer_bytes)
      select time || lpad((row_number() over (order by time, hashint8(org * 1000 + n)))::text, 16, '0'),
        case when org = 0 then ${measured.orgId} else 'org_fill_' || org end,
        'data_source', 'mcp', 'db_handbook', 'api_token', 'tok_fill_' || org, 'usr_fill_' || org, at, true, 'key',
        ${createHash('sha256').digest().subarray(0, 16)}, 40, 200, 12, 2000
      from ${timesOf('act', first, DAYS_PER_STATEMENT, year)}, generate_series(0, ${others}::int) org,
        generate_series(1, case when org = 0 then ${year.recordsPerDay}::int else 1 end) n
      order by 1`)
  }
}

/** Notifications of events that were delivered, spread over the days for which the ledger is kept. */
async function fillLedger(db: Db, { orgId, destination }: Measured, others: number, year: Year): Promise<void> {
  const each = sql`
    ${timesOf('evt', 0, LEDGER_DAYS, year)}, generate_series(0, ${others}::int) org,
    generate_series(1, case when org = 0 then ${year.deliveriesPerDay}::int else 1 end) n`
  const ownOr = (value: string, other: ReturnType<typeof sql>) => sql`case when org = 0 then ${value} else ${other} end`
  const org = ownOr(orgId, sql`'org_fill_' || org`)
  const key = ownOr(destination, sql`'webhook:fill_' || org`)
  const id = (prefix: string) => sql`${prefix} || substr(time || lpad(org || 'x' || n, 16, '0'), 4)`
  await db.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
    select ${id('evt')}, ${org}, 'pipeline.run.failed',
      '{"status":"failed","actor_id":null,"app":null,"pipeline":{"id":"pl_1","name":"Nightly"},"run_id":null}', at, at, at
    from ${each}`)
  await db.query(sql`
    insert into notifications.notifications (id, event_id, org_id, destination_key, kind, delivery_id, created_at)
    select ${id('ntf')}, ${id('evt')}, ${org}, ${key}, 'webhook', ${id('dlv')}, at from ${each}`)
  await db.query(sql`
    insert into notifications.deliveries (id, org_id, destination_key, kind, state, attempt, created_at, ended_at)
    select ${id('dlv')}, ${org}, ${key}, 'webhook', 'sent', 1, at, at from ${each}`)
  await db.query(sql`
    insert into notifications.attempts (delivery_id, attempt, fence, started_at, ended_at, outcome, status)
    select ${id('dlv')}, 1, 1, at, at, 'sent', 200 from ${each}`)
}

/** The days from `first` days ago back: when each was, and what ids of that time begin with. */
function timesOf(prefix: string, first: number, count: number, { dayStep }: Year): ReturnType<typeof sql> {
  const days = Array.from({ length: Math.min(count, DAYS - first) }, (_, i) => first + i)
    .filter((day) => day % dayStep === 0)
    .map((day) => Date.now() - (day + 1) * DAY_MS)
  const digits = days.map((ms) => lowestIdAt(prefix, ms).slice(0, TIME_DIGITS))
  return sql`unnest(${digits}::text[], ${days.map((ms) => new Date(ms))}::timestamptz[]) as day (time, at)`
}
