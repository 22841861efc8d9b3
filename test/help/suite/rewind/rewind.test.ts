import { describe, expect, it } from 'vitest'
import { script, sql } from '#lib/db/sql.ts'
import { openTestDatabase } from '../../database.ts'

/** Counts what a test can leave behind. */
const STATE = sql`
  select (select count(*)::int from pg_class) as relations, (select count(*)::int from pg_roles) as roles,
         (select count(*)::int from pg_extension) as extensions, (select count(*)::int from auth.users) as people,
         (select count(*)::int from pg_prepared_statements) as statements, current_setting('work_mem') as work_mem,
         (select count(*)::int from pg_listening_channels()) as channels, pg_current_xact_id()::text as transaction`

describe('a database of a test, opened in a process that had one before', () => {
  const open = async (work: string) => {
    await using database = await openTestDatabase()
    const [state] = await database.db.query(STATE)
    await database.db.query(script(work))
    return state
  }

  it('has nothing of the former one', async () => {
    const first = await open('select 1')
    const states = []
    for (const work of [
      `insert into auth.users (id, email, created_at) values ('usr_1', 'a@example.com', now())`,
      `create role somebody; create table kept (a int); set work_mem = '1MB'; listen channel; prepare p as select 1`,
      `create extension vector; create table near (v vector(2)); insert into near values ('[1,2]');
       create index on near using hnsw (v vector_l2_ops)`,
      `create table big (a text); insert into big select repeat('x', 5000) from generate_series(1, 5000);
       drop table big`,
      `begin; create table unfinished (a int)`,
      'select 1',
    ]) {
      states.push(await open(work))
    }
    expect(states).toEqual(states.map(() => first))
  })

  it('is its own while another one is open', async () => {
    await using one = await openTestDatabase()
    await using other = await openTestDatabase()
    await one.db.query(script('create table mine (a int)'))
    const [row] = await other.db.query(sql`select to_regclass('mine') as found`)
    expect(row).toEqual({ found: null })
  })

  it('cannot be asked by the former one', async () => {
    const former = await openTestDatabase()
    await former[Symbol.asyncDispose]()
    await using next = await openTestDatabase()
    await expect(former.db.query(sql`select 1`)).rejects.toThrow()
    expect(await next.db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })
})
