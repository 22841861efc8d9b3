import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import type { Db, Tx } from './db.ts'
import { isUniqueViolation } from './errors.ts'
import { script, sql } from './sql.ts'
import { leaveTransaction, refuseInTransaction, TransactionMisuse } from './transaction-guard.ts'

let opened: TestDatabase
let db: Db

beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
  await db.query(script('create table public.things (id int primary key, name text constraint one_name unique)'))
})
beforeEach(() => db.query(sql`delete from public.things`))
afterAll(() => opened?.[Symbol.asyncDispose]())

const add = (to: Pick<Db, 'query'>, id: number, name = `thing ${id}`) =>
  to.query(sql`insert into public.things (id, name) values (${id}, ${name})`)
const ids = async () =>
  (await db.query<{ id: number }>(sql`select id from public.things order by id`)).map(({ id }) => id)

describe('a session', () => {
  it('keeps one connection for all it does, and its transactions keep everything or nothing', async () => {
    const pids = await db.session(async (session) => {
      const pid = () => session.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      await session.tx((tx) => add(tx, 1))
      const before = await pid()
      const failing = session.tx(async (tx) => {
        await add(tx, 2)
        await add(tx, 1)
      })
      await expect(failing).rejects.toMatchObject({ code: '23505' })
      return [...before, ...(await pid())].map((row) => row.pid)
    })
    expect(pids[1]).toBe(pids[0])
    expect(await ids()).toEqual([1])
  })

  it('refuses the pool inside it, which on the embedded engine has no second connection', async () => {
    await expect(db.session(() => ids())).rejects.toThrow('a plain query inside a transaction')
    await expect(db.session(() => db.session(async () => 1))).rejects.toThrow('a second session inside a transaction')
    expect(await ids()).toEqual([])
  })
})

describe('a transaction', () => {
  it('commits all its changes and returns the result of its work', async () => {
    const answer = await db.tx(async (tx) => {
      await add(tx, 1)
      await add(tx, 2)
      return tx.query(sql`select name from public.things where id = ${2}`)
    })
    expect(answer).toEqual([{ name: 'thing 2' }])
    expect(await ids()).toEqual([1, 2])
  })

  it('rolls back when its work throws, and rethrows the error', async () => {
    const thrown = new Error('no more')
    const work = db.tx(async (tx) => {
      await add(tx, 1)
      throw thrown
    })
    await expect(work).rejects.toBe(thrown)
    expect(await ids()).toEqual([])
  })

  it('rolls back when a statement fails', async () => {
    const work = db.tx(async (tx) => {
      await add(tx, 1)
      await add(tx, 1)
    })
    await expect(work).rejects.toMatchObject({ code: '23505' })
    expect(await ids()).toEqual([])
  })

  it('rejects at the end if a failed statement was caught inside', async () => {
    const work = db.tx(async (tx) => {
      await add(tx, 1)
      await add(tx, 1).catch(() => undefined)
      return 'done'
    })
    await expect(work).rejects.toBeInstanceOf(TransactionMisuse)
    expect(await ids()).toEqual([])
    await db.tx((tx) => add(tx, 3))
    expect(await ids()).toEqual([3])
  })

  it('commits a change whose promise was not awaited before the work ended', async () => {
    await db.tx(async (tx) => {
      void add(tx, 1)
    })
    expect(await ids()).toEqual([1])
  })

  it('refuses its `tx` after its end', async () => {
    let endedTx: Tx | undefined
    await db.tx(async (tx) => {
      endedTx = tx
    })
    expect(() => add(endedTx!, 1)).toThrow(TransactionMisuse)
    await expect(
      db.tx(async (tx) => {
        endedTx = tx
        throw new Error('over')
      }),
    ).rejects.toThrow('over')
    expect(() => add(endedTx!, 1)).toThrow('a query after its transaction ended: await it inside')
    expect(await ids()).toEqual([])
  })

  it('refuses writes when it is read-only, and the next one may write', async () => {
    await add(db, 1)
    const read = await db.tx((tx) => tx.query(sql`select id from public.things`), { readOnly: true })
    expect(read).toEqual([{ id: 1 }])
    await expect(db.tx((tx) => add(tx, 2), { readOnly: true })).rejects.toMatchObject({ code: '25006' })
    await db.tx((tx) => add(tx, 3))
    expect(await ids()).toEqual([1, 3])
  })

  it('has its own settings, which end with it', async () => {
    const setting = (to: Pick<Db, 'query'>) => to.query(sql`select current_setting('work_mem') as work_mem`)
    const before = await setting(db)
    const settings = { work_mem: '123kB' }
    expect(await db.tx((tx) => setting(tx), { settings })).toEqual([{ work_mem: '123kB' }])
    await expect(
      db.tx((tx) => tx.query(sql`insert into public.things (id) values (1)`), {
        readOnly: true,
        settings: { work_mem: "1kB'; set local transaction_read_only = 'off" },
      }),
    ).rejects.toMatchObject({ code: '22023' })
    expect(await setting(db)).toEqual(before)
  })

  it('is queued: many at once all finish, and the failing ones leave nothing', async () => {
    const work = Array.from({ length: 30 }, (_, n) =>
      db.tx(async (tx) => {
        await add(tx, n)
        if (n % 3 === 0) throw new Error(`not ${n}`)
        await tx.query(sql`update public.things set name = ${`again ${n}`} where id = ${n}`)
      }),
    )
    const ended = await Promise.allSettled([...work, ...Array.from({ length: 30 }, () => ids())])
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(10)
    expect(await ids()).toEqual([1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29])
  })
})

describe('inside a transaction', () => {
  const misuses: [string, () => Promise<unknown>][] = [
    ['a plain query', () => ids()],
    ['a second transaction', () => db.tx(async () => undefined)],
    ['listening', () => db.listen('inside', () => {})],
    ['a call to a neighbour', async () => refuseInTransaction('a call of x')],
  ]

  it.each(misuses)('%s is refused at once, and the transaction goes on', async (_, misuse) => {
    await db.tx(async (tx) => {
      await expect(misuse()).rejects.toBeInstanceOf(TransactionMisuse)
      await add(tx, 1)
    })
    expect(await ids()).toEqual([1])
    await expect(misuse()).resolves.not.toThrow()
  })

  it.each(misuses)('%s is refused when it is begun but not awaited', async (_, misuse) => {
    let stray: Promise<unknown> | undefined
    await db.tx(async (tx) => {
      stray = misuse().catch((error: unknown) => error)
      await add(tx, 1)
    })
    expect(await stray).toBeInstanceOf(TransactionMisuse)
    expect(await ids()).toEqual([1])
  })

  it('is refused in nested calls, and allowed again after a failure', async () => {
    const deep = async () => {
      await Promise.resolve()
      return ids()
    }
    await expect(db.tx(async () => deep())).rejects.toThrow('a plain query inside a transaction: do it before or after')
    expect(await deep()).toEqual([])
  })

  it('does not affect concurrent work', async () => {
    const begun = Promise.withResolvers<void>()
    const beside = begun.promise.then(() => ids())
    await db.tx(async (tx) => {
      begun.resolve()
      await add(tx, 1)
    })
    expect(await beside).toBeInstanceOf(Array)
  })

  it('lets work that outlives it leave the transaction', async () => {
    let later: Promise<number[]> | undefined
    await db.tx(async (tx) => {
      later = leaveTransaction(() => ids())
      await add(tx, 1)
    })
    expect(await later).toBeInstanceOf(Array)
  })
})

describe('an error of the database', () => {
  it.each([
    ['22012', sql`select 1 / ${0}::int`],
    ['42P01', sql`select id from public.nowhere`],
    ['42601', sql`selec 1`],
    ['22P02', sql`select ${'x'}::int`],
    ['23502', sql`insert into public.things (id) values (${null})`],
  ])('arrives with its state %s, and the connection goes on', async (code, statement) => {
    await expect(db.query(statement)).rejects.toMatchObject({ code })
    await expect(db.tx((tx) => tx.query(statement))).rejects.toMatchObject({ code })
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it('is recognised as a unique violation', async () => {
    await add(db, 1, 'same')
    const error: unknown = await add(db, 2, 'same').catch((thrown: unknown) => thrown)
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 'one_name')).toBe(true)
    expect(isUniqueViolation(error, 'things_pkey')).toBe(false)
    const other: unknown = await db.query(sql`select 1 / ${0}::int`).catch((thrown: unknown) => thrown)
    expect(isUniqueViolation(other)).toBe(false)
    expect(isUniqueViolation({ code: '23505' })).toBe(false)
  })
})

describe('values', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const at = new Date('2026-03-29T01:30:00.123Z')

  it.each<[string, unknown, string, unknown]>([
    ['null', null, 'text', null],
    ['undefined', undefined, 'text', null],
    ['text', `it's "quoted" \\ $1 ü 漢 🎉`, 'text', `it's "quoted" \\ $1 ü 漢 🎉`],
    ['an empty text', '', 'text', ''],
    ['a number', -7, 'int4', -7],
    ['a fraction', 0.1, 'float8', 0.1],
    ['a large count', 9_007_199_254_740_991, 'int8', 9_007_199_254_740_991],
    ['a decimal', '12345678901234567890.5', 'numeric', '12345678901234567890.5'],
    ['true', true, 'bool', true],
    ['a date', '2026-03-29', 'date', '2026-03-29'],
    ['a moment', at, 'timestamptz', at],
    ['bytes', bytes, 'bytea', bytes],
    ['an object', { a: [1, { b: null }] }, 'jsonb', { a: [1, { b: null }] }],
    ['a list as JSON', JSON.stringify([1, 'a']), 'jsonb', [1, 'a']],
    ['a list of texts', ['a', 'b,"c"', '', null, '{}'], 'text[]', ['a', 'b,"c"', '', null, '{}']],
    ['a list of numbers', [3, 1, 2], 'int4[]', [3, 1, 2]],
    ['an empty list', [], 'text[]', []],
  ])('%s goes in and comes out', async (_, value, type, expected) => {
    const [row] = await db.query<{ value: unknown }>(sql`select ${value}::${script(type)} as value`)
    expect(row).toEqual({ value: expected })
  })

  it('counts are numbers', async () => {
    expect(await db.query(sql`select count(*), sum(n) as sum from generate_series(1, 3) n`)).toEqual([
      { count: 3, sum: 6 },
    ])
  })

  it('an answer of many rows and of no rows', async () => {
    const rows = await db.query<{ n: number }>(sql`select n, repeat('x', 1000) from generate_series(1, ${5000}::int) n`)
    expect([rows.length, rows[4999]!.n]).toEqual([5000, 5000])
    expect(await db.query(sql`select id from public.things where id = ${-1}`)).toEqual([])
  })
})
