import { afterAll, beforeAll, expect, it } from 'vitest'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { script, sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { connectTo } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { DatabaseRow } from '../model/store.ts'
import { createEndBackend, endAbandoned } from './postgres/end-backend.ts'

const LIMIT_MS = 200
const QUESTIONS = 8

/** Catches its cancellation, as a hostile function does, and works on. */
const SWALLOW = `
  create function public.swallow() returns int language plpgsql as $f$ begin
    loop
      begin perform pg_catalog.pg_sleep(60); exception when query_canceled or others then null; end;
    end loop;
  end $f$`

needs('postgres')('OP-09 a tenant’s function that catches its time limit', () => {
  const stack = new AsyncDisposableStack()
  let test: TestDatabase
  let area: TestArea
  let notes: DatabaseRow

  beforeAll(async () => {
    test = stack.use(await openTestDatabase())
    area = stack.use(startTestArea(test.db, test.url, LIMIT_MS))
    notes = await area.make('notes')
    await area.make('others')
    await using owner = await connectTo(area.ownerUrl(notes))
    await owner.query(SWALLOW)
  })
  afterAll(() => stack.disposeAsync())

  const swallow = sql`select public.swallow()`
  const session = sql`select 1`
  const read = async (name: string, statement = sql`select 1 as one`) =>
    (await area.open(name, 'reader')).reads((on) => on.query(statement), session)
  const sessionsOf = async (role: string) => {
    const [row] = await test.db.query<{ count: number }>(sql`
      select count(*) from pg_catalog.pg_stat_activity where usename = ${role} and state = 'active'`)
    return row!.count
  }

  it('is ended by the server with the question, and other tenants are answered meanwhile', async () => {
    const asked = Array.from({ length: QUESTIONS }, () => read('notes', swallow).catch((error: unknown) => error))
    await until(async () => (await sessionsOf(notes.reader_role)) === 3)
    expect(await read('others')).toEqual([{ one: 1 }])
    const counts = await countUntil(Promise.all(asked), () => sessionsOf(notes.reader_role))
    const answers = await Promise.all(asked)
    expect(Math.max(...counts)).toBe(3)
    expect(answers.map((answer) => answer instanceof DatabaseUnavailable)).toEqual(Array(QUESTIONS).fill(true))
    await until(async () => (await sessionsOf(notes.reader_role)) === 0)
    expect(await read('notes')).toEqual([{ one: 1 }])
    expect(area.lines).toEqual([])
  })

  it('is ended in the owner’s sessions too', async () => {
    const owner = await area.open('notes', 'owner')
    const asks = [
      () => owner.query(swallow),
      () => owner.tx((tx) => tx.query(swallow), { readOnly: true, timeoutMs: LIMIT_MS }),
    ]
    await Promise.all(asks.map((ask) => expect(ask()).rejects.toThrow(DatabaseUnavailable)))
    await until(async () => (await sessionsOf(notes.owner_role)) === 0)
  })

  it('ends no session that got the same process number later', async () => {
    await using other = await connectTo(area.ownerUrl(notes))
    const { rows } = await other.query('select pg_backend_pid() as pid')
    const end = createEndBackend(test.db, () => expect.unreachable('the session was tried to be ended'))
    await end({ role: notes.owner_role, pid: rows[0].pid, startedAt: '1000000000.000000' })
    await end({ role: notes.reader_role, pid: rows[0].pid, startedAt: undefined })
    expect((await other.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('is ended by the hourly look if the process that asked died', async () => {
    await test.db.query(script(`alter role ${notes.reader_role} password 'x'`))
    const url = Object.assign(new URL(area.ownerUrl(notes)), { username: notes.reader_role, password: 'x' })
    await using reader = await connectTo(url.href)
    const asked = reader.query('select public.swallow()').catch((error: { code?: string }) => error.code)
    await until(async () => (await sessionsOf(notes.reader_role)) === 1)
    await endAbandoned(test.db, notes)
    expect(await sessionsOf(notes.reader_role)).toBe(1)
    await endAbandoned(test.db, notes, 0)
    expect(await asked).toBe('57P01')
  })
})

/** Returns what `count` gave all through the work. */
async function countUntil(work: Promise<unknown>, count: () => Promise<number>): Promise<number[]> {
  const counts: number[] = []
  const state = { isOver: false }
  void work.finally(() => {
    state.isOver = true
  })
  while (!state.isOver) counts.push(await count())
  return counts
}
