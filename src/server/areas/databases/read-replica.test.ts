import { afterAll, beforeAll, expect, it } from 'vitest'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { script, sql } from '#lib/db/sql.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { type OwnPlatform, startOwnPlatform } from '#test/databases/own-platform.ts'
import { type OwnPostgres, startStandby } from '#test/databases/own-postgres.ts'
import { needs } from '#test/stores.ts'
import { withDatabase } from '#test/suite/global-setup.ts'
import { until } from '#test/until.ts'

const ORG = 'org_1'
const MAX_LAG_SECONDS = 2
const WHERE = sql`select pg_is_in_recovery() as replica`

needs('postgres')('DS-01 questions to a server with a read replica', () => {
  const stack = new AsyncDisposableStack()
  let platform: OwnPlatform
  let standby: OwnPostgres
  let area: TestArea
  /** Uses the replica however far it is behind. */
  let patient: TestArea
  let reader: string
  let database: string

  beforeAll(async () => {
    platform = stack.use(await startOwnPlatform())
    standby = stack.use(await startStandby(platform.server))
    area = stack.use(startArea(MAX_LAG_SECONDS))
    patient = stack.use(startArea(3_600))
    const notes = await area.make('notes')
    reader = notes.reader_role
    database = notes.physical_name
    await inNotes(`create table public.notes (id int, secret text); grant select (id) on public.notes to ${reader}`)
  })
  afterAll(() => stack.disposeAsync())

  const startArea = (maxLagSeconds: number, limitMs?: number) => {
    const replica = { url: standby.url, maxLagSeconds }
    return startTestArea(platform.db, platform.url, limitMs, [{ name: 'platform', state: 'open', replica }])
  }
  const inNotes = async (text: string) => (await area.open('notes', 'owner')).query(script(text))
  const read = async <Row = unknown>(statement = WHERE, { databases } = area) =>
    (await databases.openForQuestions(ORG, 'notes')).reads((on) => on.query<Row>(statement), sql`select 1`)
  const isFromReplica = async () => (await read())[0]
  const untilFrom = (replica: boolean) =>
    until(async () => (await read<{ replica: boolean }>())[0]!.replica === replica)

  it('they are answered by the replica, and the staleness is stated', async () => {
    await untilFrom(true)
    expect(await isFromReplica()).toEqual({ replica: true })
    expect(await area.databases.maxStalenessSeconds(ORG, 'notes')).toBe(MAX_LAG_SECONDS)
  })

  it('DS-11 the reader has the same rights there, and what a tenant sets ends with its statement', async () => {
    await inNotes(`create or replace function public.upset() returns boolean language plpgsql as $$ begin
      perform set_config('statement_timeout', '0', false), set_config('search_path', 'public', false); return true; end $$`)
    await untilFrom(true)
    expect(await codeOf(read(sql`select secret from public.notes`))).toBe('42501')
    await until(async () => (await codeOf(read(sql`select public.upset() as upset`))) === 'no error')
    const look = sql`
      select pg_is_in_recovery() as replica, current_user::text as role, current_setting('search_path') as path,
             current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as read_only`
    expect(await read(look)).toEqual([
      { replica: true, role: reader, path: 'pg_catalog', timeout: '10s', read_only: 'on' },
    ])
  })

  it('DS-11 a policy limits the rows that the reader sees there, as on the primary', async () => {
    await inNotes(`
      create table public.guarded (id int, tenant text);
      insert into public.guarded values (1, 'ours'), (2, 'theirs');
      alter table public.guarded enable row level security;
      create policy ours on public.guarded for select to ${reader} using (tenant = 'ours');
      grant select on public.guarded to ${reader}`)
    const look = sql`select pg_is_in_recovery() as replica, id from public.guarded`
    await until(async () => (await read<{ replica: boolean }>(look))[0]!.replica)
    expect(await read(look)).toEqual([{ replica: true, id: 1 }])
    expect(await (await area.open('notes', 'reader')).query(look)).toEqual([{ replica: false, id: 1 }])
    // The owner removes the policy: without one a guarded table shows nothing.
    await inNotes('drop policy ours on public.guarded')
    const visible = sql`select count(*)::int as rows, pg_is_in_recovery() as replica from public.guarded`
    await until(async () => (await read<{ rows: number }>(visible))[0]!.rows === 0)
    expect(await read(visible)).toEqual([{ rows: 0, replica: true }])
  })

  it('OP-09 a function that catches its time limit is ended on the replica', async () => {
    await inNotes(`create function public.swallow() returns int language plpgsql as $$ begin
      loop begin perform pg_sleep(60); exception when query_canceled then null; end; end loop; end $$`)
    await using inside = await connectTo(withDatabase(standby.url, database))
    const found = `select to_regproc('public.swallow') is not null as found`
    await until(async () => (await inside.query(found)).rows[0].found)
    const { databases } = startArea(3_600, 100)
    const questions = await databases.openForQuestions(ORG, 'notes')
    await until(
      async () => (await questions.reads((on) => on.query<{ replica: boolean }>(WHERE), sql`select 1`))[0]!.replica,
    )
    const active = `select from pg_stat_activity where usename = $1 and state = 'active'`
    const count = async () => (await inside.query(active, [reader])).rowCount
    const asked = questions.reads((on) => on.query(sql`select public.swallow()`), sql`select 1`)
    asked.catch(() => undefined)
    await until(async () => (await count()) === 1)
    await expect(asked).rejects.toThrow(DatabaseUnavailable)
    await until(async () => (await count()) === 0)
    await databases[Symbol.asyncDispose]()
  })

  it('a replica that does not have a table yet is passed over', async () => {
    await until(async () => (await read<{ replica: boolean }>(undefined, patient))[0]!.replica)
    await standby.psql('select pg_wal_replay_pause()')
    await inNotes(`create table public.later as select 1 as id; grant select on public.later to ${reader}`)
    expect(await read(sql`select id from public.later`, patient)).toEqual([{ id: 1 }])
    expect(await read(undefined, patient)).toEqual([{ replica: true }])
  })

  it('a replica that is too far behind is passed over until it has caught up', async () => {
    await inNotes('insert into public.notes values (1)')
    await untilFrom(false)
    expect(await read(sql`select id from public.notes`)).toEqual([{ id: 1 }])
    await standby.psql('select pg_wal_replay_resume()')
    await untilFrom(true)
    expect(await read(sql`select id from public.notes`)).toEqual([{ id: 1 }])
  })

  it('while the replica is stopped the primary answers, and no question fails', async () => {
    await standby.stop()
    expect(await isFromReplica()).toEqual({ replica: false })
    await standby.start()
    await untilFrom(true)
  })
})
