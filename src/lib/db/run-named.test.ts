import pg from 'pg'
import { expect, it } from 'vitest'
import { needs, stores } from '#test/stores.ts'
import { openPostgres } from './postgres.ts'
import { runNamed } from './run-named.ts'
import { sql } from './sql.ts'

needs('postgres')('OP-02 a statement that is prepared on a connection', () => {
  const open = () =>
    openPostgres({ url: stores.postgres!, maxConnections: 1, onError: (error) => expect.fail(String(error)) })
  const typed = (n: number) => sql`
    select ${n}::int8 as count, '2026-03-01'::date as day, null::text as missing, '\\x01'::bytea as bytes, ${[n]}::int[] as list
    from generate_series(1, ${n}::int)`
  const row = (n: number) => ({ count: n, day: '2026-03-01', missing: null, bytes: Buffer.from([1]), list: [n] })

  it('gives the same types at every execution, also of no rows and beside other statements', async () => {
    await using db = open()
    expect(await db.query(typed(0))).toEqual([])
    expect(await db.query(typed(2))).toEqual([row(2), row(2)])
    expect(await db.query(sql`select 'other' as name`)).toEqual([{ name: 'other' }])
    expect(await db.query(typed(1))).toEqual([row(1)])
    expect(await db.query(sql`select 'other' as name`)).toEqual([{ name: 'other' }])
  })

  it('can be run again after it failed, with the error of the server and a stack that begins here', async () => {
    await using db = open()
    const divide = (by: number) => db.query(sql`select 6 / ${by}::int as result`)
    expect(await divide(2)).toEqual([{ result: 3 }])
    const refused: unknown = await divide(0).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: '22012' })
    expect((refused as Error).stack).toContain('run-named.test.ts')
    expect(await divide(3)).toEqual([{ result: 2 }])
  })

  it('is refused by the server where its columns have changed, and never read with the columns of before', async () => {
    await using pool = poolOfOne()
    const client = await pool.connect()
    await client.query('create temporary table changing (a int); insert into changing values (1)')
    const all = sql`select * from changing`
    expect(await runNamed(client, all)).toEqual([{ a: 1 }])
    await client.query(`alter table changing add column b text default 'new'`)
    await expect(runNamed(client, all)).rejects.toMatchObject({ code: '0A000' })
    client.release()
  })
})

function poolOfOne(): pg.Pool & AsyncDisposable {
  const pool = new pg.Pool({ connectionString: stores.postgres!, max: 1 })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() })
}
