import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSealer } from '#lib/crypto/seal.ts'
import { script, sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { withLease } from '#lib/work/lease.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import { runJobs } from '#test/work/run-jobs.ts'
import { createDatabases, type Databases } from './index.ts'
import { newDatabase } from './model/new-database.ts'
import { type DatabaseRow, findDatabase, insertDatabase } from './model/store.ts'

const ORG = 'org_1'
const sealer = createSealer(['ab'.repeat(32)])
const sources = { statesOf: async () => new Map(), forgetUnlessExposed: async () => true }
const dataDir = mkdtempSync(join(tmpdir(), 'svc-databases-'))
const lines: string[] = []
let test: TestDatabase
let databases: Databases

beforeAll(async () => {
  test = await openTestDatabase()
  databases = startDatabases()
})

function startDatabases(): Databases {
  const log = createLog('warn', { write: (line: string) => void lines.push(line) })
  const settings = { databaseUrl: test.url, dataDir, publicHost: undefined, embeddedMax: 5 }
  return createDatabases({ db: test.db, clock: systemClock, sealer, sources, log, ...settings })
}
afterAll(async () => {
  await test.db.query(sql`update databases.databases set state = 'dropping'`)
  await finish()
  await databases[Symbol.asyncDispose]()
  await test[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Runs the worker's job that finishes databases. */
const finish = () => runJobs(databases.slots[0]!)

/** A row as a process leaves it that dies right after writing it. */
async function leave(name: string): Promise<DatabaseRow> {
  const of = { org_id: ORG, name, created_by: 'usr_1', created_at: systemClock.now() }
  const row = await newDatabase(of, sealer)
  await test.db.tx((tx) => insertDatabase(tx, row))
  return row
}

describe('what a crash leaves', () => {
  it('half made is finished by the worker, unless another process holds its lease', async () => {
    const { id } = await leave('notes')
    const next = await withLease(test.db, { name: `database:${id}`, run: finish, refuse: () => new Error('taken') })
    expect((await findDatabase(test.db, ORG, 'notes'))?.state).toBe('creating')
    expect(next).toBe(5)
    await finish()
    expect((await findDatabase(test.db, ORG, 'notes'))?.state).toBe('ready')
    expect(lines).toEqual([])
  })

  it('half dropped is dropped by the worker, also when nothing of it was ever made', async () => {
    const { id } = await leave('never')
    await test.db.query(sql`update databases.databases set state = 'dropping' where id = ${id}`)
    await finish()
    expect(await findDatabase(test.db, ORG, 'never')).toBeUndefined()
    expect(lines).toEqual([])
  })
})

describe('DS-21 the reader', () => {
  beforeAll(async () => {
    const owner = await databases.open(ORG, 'notes', 'owner')
    await owner.query(
      script('create table public.notes (id int, secret text); insert into public.notes values (1, $$x$$)'),
    )
  })

  it('sees nothing until it is granted, and then only that', async () => {
    const reader = await databases.open(ORG, 'notes', 'reader')
    expect(await codeOf(reader.query(sql`select id from public.notes`))).toBe('42501')
    const owner = await databases.open(ORG, 'notes', 'owner')
    const { reader_role } = (await findDatabase(test.db, ORG, 'notes'))!
    await owner.query(script(`grant select (id) on public.notes to ${reader_role}`))
    expect(await reader.query(sql`select id from public.notes`)).toEqual([{ id: 1 }])
    expect(await codeOf(reader.query(sql`select secret from public.notes`))).toBe('42501')
  })

  it.each([
    ['writes nothing', 'insert into public.notes values (2)', '25006'],
    [
      'writes nothing, even with read-only switched off',
      'begin read write; insert into public.notes values (2)',
      '42501',
    ],
    ['makes no table', 'begin read write; create table public.mine (id int)', '42501'],
    ['makes no temporary table', 'begin read write; create temporary table mine (id int)', '42501'],
    ['makes no role', 'begin read write; create role mine', '42501'],
    ['reads no file', `select pg_read_file('PG_VERSION')`, '42501'],
    ['finds no table without its schema', 'select id from notes', '42P01'],
  ])('%s', async (_, text, code) => {
    const reader = await databases.open(ORG, 'notes', 'reader')
    expect(await codeOf(reader.tx((tx) => tx.query(script(`rollback; ${text}`))))).toBe(code)
  })

  it('is somebody else than the owner, and runs read-only with its search path pinned', async () => {
    const reader = await databases.open(ORG, 'notes', 'reader')
    const { reader_role } = (await findDatabase(test.db, ORG, 'notes'))!
    const rows = await reader.query(sql`
      select current_user::text as name, current_setting('search_path') as path,
             current_setting('transaction_read_only') as read_only`)
    expect(rows).toEqual([{ name: reader_role, path: 'pg_catalog', read_only: 'on' }])
  })

  it('reads without a transaction around it under the settings it is given, read-only and bounded', async () => {
    const reader = await databases.open(ORG, 'notes', 'reader')
    const session = (memory: string) => sql`select pg_catalog.set_config('work_mem', ${script(`'${memory}'`)}, false)`
    const look = sql`
      select current_setting('work_mem') as memory, current_setting('transaction_read_only') as read_only,
             current_setting('statement_timeout') as timeout`
    const seen = (memory: string) => reader.reads((on) => on.query(look), session(memory))
    const rows = (memory: string) => [{ memory, read_only: 'on', timeout: '10s' }]
    expect([await seen('8MB'), await seen('8MB'), await seen('9MB')]).toEqual([rows('8MB'), rows('8MB'), rows('9MB')])
    const write = sql`insert into public.notes values (2)`
    expect(await codeOf(reader.reads((on) => on.query(write), session('9MB')))).toBe('0A000')
    expect(await seen('9MB')).toEqual(rows('9MB'))
  })

  it.each([
    ['that finds rows', sql`select 1 as one where public.upset()`],
    ['that finds none', sql`select 1 as one where not public.upset()`],
    ['that fails', sql`select 1 / 0 as one where public.upset()`],
    ['that is only planned', sql`explain select 1 as one where public.upset_early()`],
  ])('whatever a tenant’s own code sets in a read %s, the next is read-only and bounded again', async (_, read) => {
    const owner = await databases.open(ORG, 'notes', 'owner')
    for (const [name, kind] of [['upset', 'volatile'] as const, ['upset_early', 'immutable'] as const]) {
      await owner.query(
        script(`
        create or replace function public.${name}() returns boolean language plpgsql ${kind} as $$ begin
          perform set_config('statement_timeout', '0', false), set_config('search_path', 'public', false),
                  set_config('default_transaction_read_only', 'off', false);
          return true;
        end $$`),
      )
    }
    const reader = await databases.open(ORG, 'notes', 'reader')
    const session = sql`select 1`
    await reader.reads((on) => on.query(read), session).catch(() => undefined)
    const look = sql`
      select current_setting('statement_timeout') as timeout, current_setting('search_path') as path,
             current_setting('default_transaction_read_only') as read_only`
    expect(await reader.reads((on) => on.query(look), session)).toEqual([
      { timeout: '10s', path: 'pg_catalog', read_only: 'on' },
    ])
  })

  it('reads nothing that cannot be guarded', async () => {
    const reader = await databases.open(ORG, 'notes', 'reader')
    await expect(reader.reads((on) => on.query(script('select 1; select 2')), sql`select 1`)).rejects.toThrow('script')
  })

  it('opens only what is ready', async () => {
    expect(await codeOf(databases.open(ORG, 'none', 'reader'))).toBe('NOT_FOUND')
    expect(await codeOf(databases.open('org_2', 'notes', 'reader'))).toBe('NOT_FOUND')
  })
})

needs('postgres')('DS-19 a reader that an older version made', () => {
  it('is kept out of the server’s log from the first question a newer process asks', async () => {
    const { reader_role } = (await findDatabase(test.db, ORG, 'notes'))!
    await test.db.query(script(`alter role ${reader_role} reset log_min_messages`))
    await using newer = startDatabases()
    const reader = await newer.open(ORG, 'notes', 'reader')
    expect(await reader.query(sql`select current_setting('log_min_messages') as level`)).toEqual([{ level: 'fatal' }])
  })
})
