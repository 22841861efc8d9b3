import { afterAll, beforeAll, expect, it } from 'vitest'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { script, sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import type { ManagedDb } from '../index.ts'
import { sessionGuard } from './guard.ts'

/** The reader's session is kept between questions, and a function of a view runs in it. */
needs('postgres')('DS-21 a tenant’s function in the reader’s session', () => {
  let test: TestDatabase
  let area: TestArea
  let reader: ManagedDb
  let names: { owner_role: string; reader_role: string }

  beforeAll(async () => {
    test = await openTestDatabase()
    area = startTestArea(test.db, test.url)
    const row = await area.make('notes')
    names = row
    await using owner = await connectTo(area.ownerUrl(row))
    await owner.query(`
      create table public.notes (id int, secret text);
      insert into public.notes values (1, 'hidden');
      grant select (id) on public.notes to ${row.reader_role};
      create table public.seen (question text);
      create function public.keep(text) returns text language plpgsql security definer as
        'begin insert into public.seen values ($1); return $1; end';
    `)
    reader = await area.open('notes', 'reader')
  })
  afterAll(async () => {
    await area?.[Symbol.asyncDispose]()
    await test?.[Symbol.asyncDispose]()
  })

  const session = sql`select pg_catalog.set_config('work_mem', '8MB', false)`
  const question = (value: string) => sql`select id, ${value}::text as asked from public.notes`
  const ask = (value: string) => reader.reads((on) => on.query(question(value)), session)
  /** Runs this PL/pgSQL in the middle of a question. */
  const run = async (body: string) => {
    await using owner = await connectTo(area.ownerUrl({ ...(await rowOf()), ...names }))
    await owner.query(`create or replace function public.harm() returns int language plpgsql as $f$ begin
      ${body}; return 1; end $f$`)
    return await reader.reads((on) => on.query(sql`select public.harm() as one`), session)
  }
  const rowOf = async () => {
    const [row] = await test.db.query<Parameters<TestArea['ownerUrl']>[0]>(sql`
      select * from databases.databases where name = 'notes'`)
    return row!
  }

  it('that deallocates all statements harms no later question', async () => {
    for (const value of ['a', 'b']) expect(await ask(value)).toEqual([{ id: 1, asked: value }])
    expect(await run(`execute 'deallocate all'`)).toEqual([{ one: 1 }])
    for (const value of ['c', 'd']) expect(await ask(value)).toEqual([{ id: 1, asked: value }])
  })

  it('that does so on every kept connection harms no later question either', async () => {
    const three = () => Promise.all(['a', 'b', 'c'].map((value) => ask(value)))
    await three()
    const harm = sql`select public.harm() as one, pg_catalog.pg_sleep(0.2)`
    await Promise.all([1, 2, 3].map(() => reader.reads((on) => on.query(harm), session)))
    expect(await three()).toEqual(['a', 'b', 'c'].map((asked) => [{ id: 1, asked }]))
  })

  it('that deallocates while its own question runs is asked again, and then refused as unavailable', async () => {
    let times = 0
    const work = reader.reads(async (on) => {
      times++
      await on.query(question('a'))
      await on.query(sql`select public.harm() as one`)
      return on.query(question('b'))
    }, session)
    await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(times).toBe(2)
    expect(await ask('c')).toEqual([{ id: 1, asked: 'c' }])
  })

  it.each([
    ['and ends well', ''],
    ['and fails', `raise exception 'no'`],
  ])('that prepares another statement under our name %s sees no later question', async (_, end) => {
    await ask('a')
    const { name } = sessionGuard.guarded(question('a'))
    const planted = `set_config('default_transaction_read_only', 'off', false)`
    await run(`
      execute 'deallocate all';
      execute $p$prepare ${name}(text) as select 2 as id, public.keep($1) as asked, ${planted}$p$;
      perform ${planted};
      ${end}`).catch(() => undefined)
    for (const value of ['b', 'c', 'd']) expect(await ask(value)).toEqual([{ id: 1, asked: value }])
    await using owner = await connectTo(area.ownerUrl(await rowOf()))
    expect((await owner.query('select question from public.seen')).rows).toEqual([])
  })

  /** Makes functions that declare a cursor whose query runs at COMMIT and changes the session for the next question. */
  const makeCursorFunctions = async () => {
    await using owner = await connectTo(area.ownerUrl(await rowOf()))
    await owner.query(`
      create or replace function public.late() returns int language plpgsql as $f$ begin
        perform set_config('default_transaction_read_only', 'off', false);
        perform set_config('search_path', 'public, pg_catalog', false);
        return 1;
      end $f$;
      create or replace function public.declares() returns int language plpgsql as $f$ begin
        execute 'declare late cursor with hold for select public.late()'; return 1;
      end $f$;
      create or replace function public.planned() returns int language plpgsql immutable as
        'begin return public.declares(); end'`)
  }
  const state = sql`select current_setting('transaction_read_only') as read_only, current_setting('search_path') as path`
  const expectOwnSettings = async () => {
    const found = await Promise.all([1, 2, 3, 4].map(() => reader.reads((on) => on.query(state), session)))
    for (const rows of found) expect(rows).toEqual([{ read_only: 'on', path: 'pg_catalog' }])
  }

  it('that leaves a cursor to be run at COMMIT changes no later question', async () => {
    await makeCursorFunctions()
    const harm = sql`select public.declares() as one`
    await reader.reads((on) => on.query(harm), session).catch(() => undefined)
    await expectOwnSettings()
  })

  it('that leaves one while a statement is explained, and an operator for the guard, changes none either', async () => {
    await makeCursorFunctions()
    await using owner = await connectTo(area.ownerUrl(await rowOf()))
    await owner.query(`
      create function public.joined(text, text) returns text language plpgsql as
        'begin perform public.keep(''operator''); perform public.late(); return ''x''; end';
      create operator public.|| (leftarg = text, rightarg = text, function = public.joined)`)
    const harm = sql`explain select 1 where public.planned() = 1`
    await reader.reads((on) => on.query(harm), session).catch(() => undefined)
    await expectOwnSettings()
    expect((await owner.query('select question from public.seen')).rows).toEqual([])
  })

  it('that becomes the owner, to whom it was made a member, is the reader again at the next statement', async () => {
    await test.db.query(script(`grant ${names.owner_role} to ${names.reader_role}`))
    const who = sql`select current_user::text as name`
    await run(`perform set_config('role', '${names.owner_role}', false)`)
    expect(await reader.reads((on) => on.query(who), session)).toEqual([{ name: names.reader_role }])
    const secret = sql`select secret from public.notes`
    expect(await codeOf(reader.reads((on) => on.query(secret), session))).toBe('42501')
    await test.db.query(script(`revoke ${names.owner_role} from ${names.reader_role}`))
  })

  it('that runs while an owner’s statement is planned leaves no statement behind for the next', async () => {
    const owner = await area.open('notes', 'owner')
    const find = sql`select 'right' as answer where ${'x'} = 'x'`
    expect(await owner.query(find)).toEqual([{ answer: 'right' }])
    await using client = await connectTo(area.ownerUrl(await rowOf()))
    await client.query(`create or replace function public.harm() returns int language plpgsql as $f$ begin
        execute 'deallocate all'; execute $p$prepare ${find.name}(text) as select 'wrong' as answer$p$; return 1;
      end $f$;
      create function public.early() returns int language plpgsql immutable as 'begin return public.harm(); end'`)
    await Promise.all([1, 2, 3].map(() => owner.query(sql`explain select 1 where public.early() = 1`)))
    for (const _ of [1, 2, 3, 4]) expect(await owner.query(find)).toEqual([{ answer: 'right' }])
  })
})
