import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import type { Db } from '../db.ts'
import { script, sql } from '../sql.ts'
import { toMigration as file, type Migration } from './file.ts'
import { findPending, migrate } from './migrate.ts'
import type { Applied } from './plan.ts'

const applied = ({ area, name, checksum, formerRelease, reason }: Migration): Applied => {
  return { area, name, checksum, formerRelease, reason }
}

describe('migrating', () => {
  let opened: TestDatabase
  let db: Db
  beforeAll(async () => {
    opened = await openTestDatabase()
    db = opened.db
    // The test database comes migrated; these tests have a history of their own.
    await db.query(script('drop table public.svc_migrations'))
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  const first = file('x', '0001_first.sql', 'create schema x; create table x.t (n int); insert into x.t values (1)')
  const second = file('x', '0002_second.sql', 'insert into x.t values (2)')
  const numbers = async () => (await db.query<{ n: number }>(sql`select n from x.t order by n`)).map(({ n }) => n)
  const history = () =>
    db.query(sql`
      select area, name, checksum, former_release as "formerRelease", reason from public.svc_migrations order by name`)
  const indexes = async () => {
    const rows = await db.query<{ indexname: string }>(sql`
      select indexname from pg_indexes where schemaname = 'x' order by indexname`)
    return rows.map(({ indexname }) => indexname)
  }

  it('applies what is new, once', async () => {
    expect(await migrate(db, [first])).toEqual(['x/0001_first.sql'])
    expect(await migrate(db, [first])).toEqual([])
    expect(await migrate(db, [first, second])).toEqual(['x/0002_second.sql'])
    expect(await migrate(db, [first, second])).toEqual([])
    expect(await numbers()).toEqual([1, 2])
    expect(await history()).toEqual([first, second].map(applied))
  })

  it('refuses a changed file and a newer schema, and changes nothing', async () => {
    const changed = file('x', '0001_first.sql', 'insert into x.t values (9)')
    const third = file('x', '0003_third.sql', 'insert into x.t values (3)')
    await expect(migrate(db, [changed, second, third])).rejects.toThrow('x/0001_first.sql was changed')
    await expect(migrate(db, [first])).rejects.toThrow('cannot run on the result of:\n  - x/0002_second.sql\n')
    await expect(migrate(db, [first, third])).rejects.toThrow('cannot run on the result of:\n  - x/0002_second.sql\n')
    expect(await numbers()).toEqual([1, 2])
    expect(await history()).toEqual([first, second].map(applied))
  })

  it('leaves nothing of a run in which a file fails, not even of the files before it', async () => {
    const fine = file('x', '0003_fine.sql', 'insert into x.t values (3); create table x.more (n int)')
    const wrong = file('x', '0004_wrong.sql', 'insert into x.t values (4); select 1 / 0; insert into x.t values (5)')
    const run = migrate(db, [first, second, fine, wrong])
    await expect(run).rejects.toMatchObject({
      name: 'MigrationRefused',
      message: 'x/0004_wrong.sql failed; its transaction was rolled back',
      cause: { code: '22012' },
    })
    expect(await numbers()).toEqual([1, 2])
    expect(await history()).toEqual([first, second].map(applied))
    expect(await db.query(sql`select to_regclass('x.more') as more`)).toEqual([{ more: null }])
    expect(await migrate(db, [first, second, fine])).toEqual(['x/0003_fine.sql'])
  })

  const fine = file('x', '0003_fine.sql', 'insert into x.t values (3); create table x.more (n int)')
  const own = [first, second, fine]

  it('OP-02 an older version runs on a newer schema when every newer migration says so', async () => {
    const newer = file('x', '0005_column.sql', '-- former release: runs\nalter table x.t add column note text')
    expect(await migrate(db, [...own, newer])).toEqual(['x/0005_column.sql'])
    expect(await migrate(db, own)).toEqual([])
    expect(await findPending(db, own)).toEqual({ pending: [], newer: [applied(newer)] })
    expect(await history()).toEqual([...own, newer].map(applied))
  })

  it('OP-02 an older version refuses a newer schema on which it cannot run, and the newer one goes on', async () => {
    const newer = file('x', '0005_column.sql', '-- former release: runs\nalter table x.t add column note text')
    const breaking = file('x', '0006_drop.sql', '-- former release: stops, it writes x.more\ndrop table x.more')
    expect(await migrate(db, [...own, newer, breaking])).toEqual(['x/0006_drop.sql'])
    await expect(migrate(db, own)).rejects.toMatchObject({
      name: 'MigrationRefused',
      message: expect.stringContaining('\n  - x/0006_drop.sql: it writes x.more\nStart the newer version'),
    })
    await expect(findPending(db, [...own, newer])).rejects.toThrow('x/0006_drop.sql: it writes x.more')
    expect(await migrate(db, [...own, newer, breaking])).toEqual([])
    await db.query(sql`delete from public.svc_migrations where name >= '0005'`)
  })

  it('OP-02 the table of a release from before the verdicts is extended, and that release can still insert', async () => {
    await db.query(script('alter table public.svc_migrations drop column former_release, drop column reason'))
    expect(await migrate(db, own)).toEqual([])
    const next = file('x', '0004_next.sql', '-- former release: runs\ninsert into x.t values (4)')
    expect(await migrate(db, [...own, next])).toEqual(['x/0004_next.sql'])
    expect(await history()).toEqual([...own, next].map(applied))
    await db.query(sql`insert into public.svc_migrations (area, name, checksum) values ('x', '0009_old.sql', 'c')`)
    await expect(migrate(db, [...own, next])).rejects.toThrow('\n  - x/0009_old.sql\n')
    await db.query(sql`delete from public.svc_migrations where name >= '0004'`)
  })

  const OUTSIDE = '-- former release: runs\n-- outside transaction\n'

  it('OP-02 an index is built outside the transactions of its neighbours, and removed in the same way', async () => {
    const build = file('x', '0011_index.sql', `${OUTSIDE}create index concurrently if not exists t_n on x.t (n);`)
    const after = file('x', '0012_after.sql', 'insert into x.t values (12)')
    expect(await migrate(db, [...own, build, after])).toEqual(['x/0011_index.sql', 'x/0012_after.sql'])
    expect(await indexes()).toEqual(['t_n'])
    const remove = file('x', '0013_remove.sql', `${OUTSIDE}drop index concurrently if exists x.t_n;`)
    expect(await migrate(db, [...own, build, after, remove])).toEqual(['x/0013_remove.sql'])
    expect(await indexes()).toEqual([])
    expect(await history()).toEqual([...own, build, after, remove].map(applied))
    await db.query(sql`delete from public.svc_migrations where name >= '0011'`)
  })

  it('OP-02 an index that cannot be built leaves nothing behind that would refuse writes', async () => {
    await db.query(sql`insert into x.t values (12)`)
    const build = file(
      'x',
      '0011_unique.sql',
      `${OUTSIDE}create unique index concurrently if not exists t_u on x.t (n)`,
    )
    await expect(migrate(db, [...own, build])).rejects.toMatchObject({
      message: expect.stringMatching(/^x\/0011_unique.sql failed; /),
      cause: { code: '23505' },
    })
    expect(await indexes()).toEqual([])
    await db.query(sql`insert into x.t values (12)`)
    await db.query(sql`delete from x.t where n = 12`)
    expect(await migrate(db, [...own, build])).toEqual(['x/0011_unique.sql'])
    await expect(db.query(sql`insert into x.t values (1)`)).rejects.toMatchObject({ code: '23505' })
  })
})
