import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { activityStatistics, listActivity } from '#contract/activity.ts'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { lowestId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { identifier, sql } from '#lib/db/sql.ts'
import { needs, stores } from '#test/stores.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { retentionLoop } from '../src/server/areas/activity/retention.ts'
import { logRetention } from '../src/server/areas/apps/logs/retention.ts'
import { appendLines, findLinesAfter } from '../src/server/areas/apps/logs/store.ts'
import { allMigrations } from '../src/server/process/schema.ts'

/** The last migration of each area in an older version, as of which the database is filled. */
const OLDER: Readonly<Record<string, string>> = {
  lib: '0004',
  auth: '0008',
  'data-sources': '0003',
  databases: '0002',
  ai: '0002',
  activity: '0001',
  notifications: '0009',
  apps: '0001',
  checks: '0002',
  pipelines: '0002',
  tickets: '0001',
  maintenance: '0004',
}

const ALL_LINES = { words: [], minLevel: undefined, deployId: undefined }
const DAY_MS = 24 * 60 * 60_000
const RECORDS_PER_DAY = 3
/** Fewer than are kept, because the started product removes older ones at once. */
const DAYS = 80
/** Tables that are filled. */
const TABLES = [
  'auth.orgs',
  'activity.records',
  'activity.quotas',
  'notifications.events',
  'notifications.notifications',
  'notifications.deliveries',
  'notifications.attempts',
  'apps.apps',
  'apps.logs',
  'apps.log_sizes',
  'svc.audit',
] as const

needs('postgres')('OP-02 an upgrade of an older database with data', () => {
  const stack = new AsyncDisposableStack()
  const now = new Date()
  let db: Db
  let url: string
  let before: Record<string, string>
  let after: Record<string, string>
  let applied: string[]
  let system: System
  let live: { written: string[]; seen: string[] }

  beforeAll(async () => {
    const name = `svc_test_${randomBytes(6).toString('hex')}`
    await onServer(stores.postgres!, `create database ${name}`)
    stack.defer(() => onServer(stores.postgres!, `drop database ${name} with (force)`))
    url = withDatabase(stores.postgres!, name)
    db = stack.use(openPostgres({ url, onError: () => undefined }))
    const all = allMigrations()
    await migrate(
      db,
      all.filter((one) => one.name.slice(0, 4) <= (OLDER[one.area] ?? '')),
    )
    await fill(db, now)
    const columns = await columnsOf(db)
    before = await digests(db, columns)
    await using log = followLog(db, now)
    await until(() => log.seen.length > 0)
    applied = await migrate(db, all)
    const seenBefore = log.seen.length
    await until(() => log.seen.length > seenBefore)
    live = await log.end()
    after = await digests(db, columns)
    system = stack.use(await startSystem({ on: { db, databaseUrl: url } }))
  })
  afterAll(() => stack.disposeAsync())

  it('applies every newer migration, and every row is as it was', () => {
    expect(applied).toContain('activity/0004_partitions.sql')
    expect(applied).toContain('apps/0004_log_partitions.sql')
    for (const table of TABLES) expect(after[table], table).toBe(before[table])
  })

  it('neither loses nor doubles a line that a running app writes meanwhile, for one who follows its log', () => {
    expect(live.seen).toEqual(live.written)
  })

  it('answers: records of before and after are one list and are counted together', async () => {
    const { token } = await system.operator.call(adminCreateToken, {
      org_id: 'org_old',
      email: 'owner@example.com',
      role: 'owner',
      name: 'after the upgrade',
    })
    const client = system.client(token)
    // The second has an id of the weeks after the former table, and none of the time that is counted below.
    await addRecords(db, [
      { id: lowestId('act', now).replace(/.$/, '1'), at: now },
      { id: lowestId('act', new Date(now.getTime() + 50 * DAY_MS)), at: now },
    ])
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await client.call(listActivity, { type: 'data_sources', limit: 100, ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toHaveLength(DAYS * RECORDS_PER_DAY + 2)
    expect(seen.toSorted().toReversed()).toEqual(seen)
    const counted = await client.call(activityStatistics, {
      type: 'data_sources',
      from: new Date(now.getTime() - 9.5 * DAY_MS).toISOString(),
      to: new Date(now.getTime() + DAY_MS).toISOString(),
    })
    expect(counted.buckets.reduce((sum, { total }) => sum + total, 0)).toBe(9 * RECORDS_PER_DAY + 1)
    expect((await client.call(listDeliveries, {})).items).toHaveLength(1)
  })

  it('removes the records of before one by one when they are old, and their partition when all are', async () => {
    const retention = retentionLoop({ db })
    const tick = (days: number) => retention.tick(new Date(now.getTime() + days * DAY_MS), new AbortController().signal)
    const partition = async () =>
      (
        await db.query<{ name: string }>(sql`
          select inhrelid::regclass::text as name from pg_inherits
          where inhparent = 'activity.records'::regclass and inhrelid::regclass::text like '%before%'`)
      ).length
    const count = async () =>
      (await db.query<{ n: number }>(sql`select count(*)::int as n from activity.records where id < ${nowId}`))[0]!.n
    const nowId = lowestId('act', now)
    await tick(20)
    expect([await count(), await partition()]).toEqual([70 * RECORDS_PER_DAY, 1])
    await tick(140)
    expect([await count(), await partition()]).toEqual([0, 0])
  })

  it('shows lines of logs of before and after as one log, and removes those of before one by one, then at once', async () => {
    const tick = (days: number) =>
      logRetention({ db, maxBytes: 1e9, maxAgeDays: 14 }).tick(
        new Date(now.getTime() + days * DAY_MS),
        new AbortController().signal,
      )
    const line = { deployId: null, at: now, level: 2, source: 'app', text: 'after', dropped: 0 } as const
    await db.tx((tx) => appendLines(tx, 'app_old', [line]))
    const log = async () => {
      const [row] = await db.query<{ lines: number; bytes: number; newest: string; former: boolean }>(sql`
        select count(*)::int as lines, max(bytes) as bytes, (array_agg(text order by logs.id desc))[1] as newest,
          (select max(inhrelid::regclass::text) from pg_inherits
           where inhparent = 'apps.logs'::regclass and inhrelid::regclass::text like 'apps.logs_0_%') is not null as former
        from apps.log_sizes left join apps.logs using (app_id) where app_id = 'app_old'`)
      return row
    }
    expect(await log()).toEqual({ lines: 301, bytes: 2405, newest: 'after', former: true })
    await tick(7)
    // Lines have a time of 1 to 300 hours ago, so those of the first 168 are left.
    expect(await log()).toEqual({ lines: 169, bytes: 1349, newest: 'after', former: true })
    await tick(15)
    expect(await log()).toEqual({ lines: 1, bytes: 113, newest: 'after', former: false })
  })
})

/** Appends lines to the log of an app, one by one, and follows it, as processes of the former release do. */
function followLog(db: Db, at: Date) {
  const ending = new AbortController()
  const written: string[] = []
  const seen: string[] = []
  const writing = (async () => {
    while (!ending.signal.aborted) {
      const line = { deployId: null, at, level: 2, source: 'app', text: `line ${written.length}`, dropped: 0 } as const
      await db.tx((tx) => appendLines(tx, 'app_live', [line]))
      written.push(line.text)
    }
  })()
  let last = 0
  const look = async () => {
    const rows = await findLinesAfter(db, 'app_live', ALL_LINES, { limit: 1_000, after: last })
    seen.push(...rows.map(({ text }) => text))
    last = rows.at(-1)?.id ?? last
    return rows.length
  }
  const reading = (async () => {
    while (!ending.signal.aborted) await look()
  })()
  const stop = async () => {
    ending.abort()
    await Promise.all([writing, reading])
  }
  return {
    seen,
    /** Returns what was written and what was seen, and removes the lines. */
    end: async () => {
      await stop()
      while ((await look()) > 0);
      await db.query(sql`delete from apps.logs where app_id = 'app_live'`)
      await db.query(sql`delete from apps.log_sizes where app_id = 'app_live'`)
      return { written, seen }
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function addRecords(db: Db, records: readonly { id: string; at: Date }[]): Promise<void> {
  await db.query(sql`
    insert into activity.records (id, org_id, type, source, target, principal_kind, principal_id, asked_at, counted,
      key_id, digest, question_bytes)
    select id, 'org_old', 'data_source', 'api', 'db_a', 'run', 'exe_1', at, true, 'key', ${Buffer.alloc(16)}, 1
    from unnest(${records.map(({ id }) => id)}::text[], ${records.map(({ at }) => at)}::timestamptz[]) as record (id, at)`)
}

async function fill(db: Db, now: Date): Promise<void> {
  await db.query(sql`insert into auth.orgs (id, name, slug, created_at) values ('org_old', 'Old', 'old', ${now})`)
  const records = Array.from({ length: DAYS * RECORDS_PER_DAY }, (_, i) => {
    const at = new Date(now.getTime() - (Math.floor(i / RECORDS_PER_DAY) + 1) * DAY_MS)
    return { id: lowestId('act', at).replace(/.$/, String(i % RECORDS_PER_DAY)), at }
  })
  await addRecords(db, records)
  await db.query(sql`insert into activity.quotas (org_id, per_minute) values ('org_old', 7)`)
  await db.query(sql`
    with event as (
      insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
      values ('evt_old', 'org_old', 'pipeline.run.failed', ${{
        status: 'failed',
        actor_id: null,
        app: { id: 'app_old', alias: 'shop', name: 'Shop' },
        pipeline: { id: 'pl_old', name: 'Nightly' },
        run_id: null,
      }}, ${now}, ${now}, ${now}) returning id
    ), delivery as (
      insert into notifications.deliveries (id, org_id, destination_key, kind, state, attempt, fence, created_at, ended_at)
      values ('dlv_old', 'org_old', 'webhook:1', 'webhook', 'sent', 1, 1, ${now}, ${now}) returning id
    )
    insert into notifications.notifications (id, event_id, org_id, destination_key, kind, delivery_id, created_at)
    select 'ntf_old', event.id, 'org_old', 'webhook:1', 'webhook', delivery.id, ${now} from event, delivery`)
  await db.query(sql`
    insert into notifications.attempts (delivery_id, attempt, fence, started_at, ended_at, outcome, status)
    values ('dlv_old', 1, 1, ${now}, ${now}, 'sent', 200)`)
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values ('app_old', 'org_old', 'shop', 'Shop', 'shop-old', '/', 'active', 'usr_1', ${now}),
      ('app_live', 'org_old', 'live', 'Live', 'live-old', '/', 'active', 'usr_1', ${now})`)
  await db.query(sql`
    insert into apps.logs (app_id, at, level, source, text)
    select 'app_old', ${now}::timestamptz - make_interval(hours => n), 2, 'app', 'line ' || n
    from generate_series(1, 300) n`)
  await db.query(sql`insert into apps.log_sizes (app_id, bytes) values ('app_old', 2400)`)
  await db.query(sql`
    insert into svc.audit (id, org_id, actor, action, target, detail, at)
    values ('aud_old', 'org_old', 'usr_1', 'org.created', 'org_old', '{}', ${now})`)
}

/** The columns of a table that the older version has, by table. */
async function columnsOf(db: Db): Promise<Record<string, string[]>> {
  const rows = await db.query<{ table: string; columns: string[] }>(sql`
    select table_schema || '.' || table_name as table, array_agg(column_name::text) as columns
    from information_schema.columns where table_schema || '.' || table_name = any(${[...TABLES]}::text[]) group by 1`)
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))
}

/** The number of rows of each table and a digest of them, in these columns and in any order. */
async function digests(db: Db, columns: Record<string, string[]>): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const table of TABLES) {
    const [schema, name] = table.split('.') as [string, string]
    const [row] = await db.query<{ digest: string }>(sql`
      select count(*) || ' ' || coalesce(md5(string_agg(md5(content), '' order by md5(content))), '') as digest
      from ${identifier(schema, name)} as stored,
        lateral (select jsonb_object_agg(key, value)::text as content from jsonb_each(to_jsonb(stored))
                 where key = any(${columns[table]}::text[])) as older`)
    found[table] = row!.digest
  }
  return found
}
