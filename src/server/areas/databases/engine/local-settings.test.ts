import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { ManagedDb } from '../index.ts'

needs('postgres')('DS-28 the settings of a person on a pooled connection', () => {
  let test: TestDatabase
  let area: TestArea
  let reader: ManagedDb
  let readerRole: string

  beforeAll(async () => {
    test = await openTestDatabase()
    area = startTestArea(test.db, test.url)
    const row = await area.make('notes')
    readerRole = row.reader_role
    await using owner = await connectTo(area.ownerUrl(row))
    await owner.query(`
      create function public.stays(value text) returns text language plpgsql as
        $f$ begin return set_config('app.email', value, false); end $f$;
      create function public.fails(value text) returns text language plpgsql as
        $f$ begin perform set_config('app.email', value, false); raise exception 'no'; end $f$`)
    reader = await area.open('notes', 'reader')
  })
  afterAll(async () => {
    await area?.[Symbol.asyncDispose]()
    await test?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => expect(await leftovers()).toEqual([]))

  const session = sql`select pg_catalog.set_config('work_mem', '8MB', false)`
  const ann = { 'app.email': `ann'); reset all; --@example.com`, 'app.role': '' }
  const seen = sql`select current_setting('app.email', true) as email, pg_sleep(0.01)::text as slept`
  const leftovers = async () => {
    const one = () => reader.reads((on) => on.query<{ email: string | null }>(seen), session)
    const found = await Promise.all([one(), one(), one()])
    return found.flat().flatMap(({ email }) => email || [])
  }
  const emails = () => reader.reads((on) => on.query<{ email: string }>(seen), session, ann)

  it('hold for its statements alone, whatever characters they have', async () => {
    const [one, two, nobody, three] = await Promise.all([emails(), emails(), leftovers(), emails()])
    expect([one, two, three].flat().map(({ email }) => email)).toEqual(Array(3).fill(ann['app.email']))
    expect(nobody).toEqual([])
  })

  it('hold for each statement of a read, also after one that failed', async () => {
    const email = sql`select current_setting('app.email') as email`
    const failing = sql`select 1 / ${0}::int as one`
    const read = await reader.reads(
      async (on) => [await on.query(email), await codeOf(on.query(failing)), await on.query(email)],
      session,
      ann,
    )
    expect(read).toEqual([[{ email: ann['app.email'] }], '22012', [{ email: ann['app.email'] }]])
  })

  it('end with a statement that fails, and with one that cannot be sent', async () => {
    const failing = sql`select 1 / ${0}::int as one`
    expect(await codeOf(reader.reads((on) => on.query(failing), session, ann))).toBe('22012')
    const wrong = sql`select nobody from nowhere where ${1} = 1`
    expect(await codeOf(reader.reads((on) => on.query(wrong), session, ann))).toBe('42P01')
  })

  it.each(['pg_cancel_backend', 'pg_terminate_backend'])('end with a session that is interrupted (%s)', async (by) => {
    const slow = reader.reads((on) => on.query(sql`select pg_sleep(60)::text as slept`), session, ann)
    const ended = expect(slow).rejects.toThrow('the database cannot answer now')
    const interrupt = by === 'pg_cancel_backend' ? sql`pg_cancel_backend(pid)` : sql`pg_terminate_backend(pid)`
    const find = sql`
      select ${interrupt} from pg_stat_activity
      where usename = ${readerRole} and state = 'active' and query like '%pg_sleep(60)%'`
    await until(async () => (await test.db.query(find)).length === 1)
    await ended
    expect(await leftovers()).toEqual([])
  })

  it('end although code of the tenant sets them for the session', async () => {
    const stays = sql`select public.stays(${'mallory@example.com'}) as email`
    expect(await reader.reads((on) => on.query(stays), session, ann)).toEqual([{ email: 'mallory@example.com' }])
    expect(await leftovers()).toEqual([])
    const fails = sql`select public.fails(${'mallory@example.com'}) as email`
    expect(await codeOf(reader.reads((on) => on.query(fails), session, ann))).toBe('P0001')
  })
})

needs('postgres')('DS-28 what the code of a policy remembers of a person', () => {
  let test: TestDatabase
  let area: TestArea
  let reader: ManagedDb

  beforeAll(async () => {
    test = await openTestDatabase()
    area = startTestArea(test.db, test.url)
    const row = await area.make('notes')
    await using owner = await connectTo(area.ownerUrl(row))
    await owner.query(`
      create table public.planned (owner text);
      create table public.remembered (owner text);
      insert into planned values ('ann'), ('bob');
      insert into remembered values ('ann'), ('bob');
      alter table planned enable row level security;
      alter table remembered enable row level security;
      grant usage on schema public to "${row.reader_role}";
      grant select on planned, remembered to "${row.reader_role}";
      create function public.me() returns text language sql immutable as
        $f$ select current_setting('app.email', true) $f$;
      create function public.may(owner text) returns boolean language plpgsql stable as
        $f$ begin return owner = public.me(); end $f$;
      create function public.remember() returns text language plpgsql as
        $f$ begin
          if coalesce(current_setting('app.cached', true), '') = '' then
            perform set_config('app.cached', current_setting('app.email', true), false);
          end if;
          return current_setting('app.cached');
        end $f$;
      create policy own on planned using (public.may(owner));
      create policy own on remembered using (owner = (select public.remember()))`)
    reader = await area.open('notes', 'reader')
  })
  afterAll(async () => {
    await area?.[Symbol.asyncDispose]()
    await test?.[Symbol.asyncDispose]()
  })

  const session = sql`select pg_catalog.set_config('work_mem', '8MB', false)`
  const STATEMENTS = {
    'the plan of a function': sql`select owner from public.planned where ${'x'}::text is not null`,
    'a setting of its own': sql`select owner from public.remembered where ${'x'}::text is not null`,
  }

  it.each(Object.entries(STATEMENTS))('in %s decides nothing for the next one', async (_place, statement) => {
    const rowsOf = (who: string) => reader.reads((on) => on.query(statement), session, { 'app.email': who })
    const found = []
    for (const who of ['ann', 'bob', 'ann', 'nobody']) found.push(await rowsOf(who))
    expect(found).toEqual([[{ owner: 'ann' }], [{ owner: 'bob' }], [{ owner: 'ann' }], []])
    expect(await reader.reads((on) => on.query(statement), session)).toEqual([])
  })
})
