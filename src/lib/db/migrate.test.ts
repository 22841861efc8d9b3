import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { onServer, withDatabase } from '#test/global-setup.ts'
import { needs, stores } from '#test/stores.ts'
import type { Db } from './db.ts'
import { type Applied, type Migration, MigrationRefused, migrate, planMigrations, readMigrations } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { script, sql } from './sql.ts'

const file = (area: string, name: string, text = `-- ${area} ${name}`, checksum = `of ${text}`): Migration => ({
  area,
  name,
  text,
  checksum,
})
const applied = ({ area, name, checksum }: Migration): Applied => ({ area, name, checksum })

describe('the plan', () => {
  const [one, two, other] = [file('a', '0001_one.sql'), file('a', '0002_two.sql'), file('b', '0001_one.sql')]

  it.each<[string, Migration[], Migration[], Migration[]]>([
    ['all of it on an empty schema', [one, two, other], [], [one, two, other]],
    ['what is left, in the order known', [one, two, other], [two], [one, other]],
    ['areas apart: the same file name is another file', [one, other], [other], [one]],
    ['nothing when all is done', [one, two], [two, one], []],
    ['nothing when nothing is known', [], [], []],
  ])('is %s', (_, known, done, left) => {
    expect(planMigrations(known, done.map(applied))).toEqual(left)
  })

  it('refuses a file that was changed after it was applied', () => {
    const changed = { ...two, checksum: 'of something else' }
    expect(() => planMigrations([one, changed], [one, two].map(applied))).toThrow(
      new MigrationRefused('a/0002_two.sql was changed after it was applied: add a new file in place of editing'),
    )
  })

  it('refuses a schema that newer code made', () => {
    expect(() => planMigrations([one], [one, two].map(applied))).toThrow(
      new MigrationRefused('the database has a/0002_two.sql, which this version does not know: run a newer one'),
    )
  })
})

describe('reading', () => {
  it('takes numbered SQL files in the order of areas and numbers, and nothing else', () => {
    const place = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
    try {
      mkdirSync(join(place, 'a'))
      mkdirSync(join(place, 'b'))
      for (const name of ['0010_ten.sql', '0002_two.sql', 'notes.md', '1_short.sql', '0003_Big.sql', '0004_x.sql~']) {
        writeFileSync(join(place, 'a', name), `-- ${name}`)
      }
      writeFileSync(join(place, 'b', '0001_one.sql'), 'select 1')
      const read = readMigrations(['b', 'a'].map((area) => ({ area, folder: join(place, area) })))
      expect(read.map(({ area, name, text }) => [area, name, text])).toEqual([
        ['b', '0001_one.sql', 'select 1'],
        ['a', '0002_two.sql', '-- 0002_two.sql'],
        ['a', '0010_ten.sql', '-- 0010_ten.sql'],
      ])
      const missing = () => readMigrations([{ area: 'missing', folder: join(place, 'missing') }])
      expect(missing).toThrow('ENOENT')
      expect(read[0]!.checksum).toBe('822ae07d4783158bc1912bb623e5107cc9002d519e1143a9c200ed6ee18b6d0f')
    } finally {
      rmSync(place, { recursive: true })
    }
  })

  it('finds our own', () => {
    expect(readMigrations([{ area: 'lib', folder: join(import.meta.dirname, '../migrations') }])[0]!.name).toBe(
      '0001_spine.sql',
    )
  })
})

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
  const history = () => db.query(sql`select area, name, checksum from public.svc_migrations order by name`)

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
    await expect(migrate(db, [first, third])).rejects.toThrow('x/0002_second.sql, which this version does not know')
    expect(await numbers()).toEqual([1, 2])
    expect(await history()).toEqual([first, second].map(applied))
  })

  it('leaves nothing of a run in which a file fails, not even of the files before it', async () => {
    const fine = file('x', '0003_fine.sql', 'insert into x.t values (3); create table x.more (n int)')
    const wrong = file('x', '0004_wrong.sql', 'insert into x.t values (4); select 1 / 0; insert into x.t values (5)')
    const run = migrate(db, [first, second, fine, wrong])
    await expect(run).rejects.toMatchObject({
      name: 'MigrationRefused',
      message: 'x/0004_wrong.sql failed; nothing was changed',
      cause: { code: '22012' },
    })
    expect(await numbers()).toEqual([1, 2])
    expect(await history()).toEqual([first, second].map(applied))
    expect(await db.query(sql`select to_regclass('x.more') as more`)).toEqual([{ more: null }])
    expect(await migrate(db, [first, second, fine])).toEqual(['x/0003_fine.sql'])
  })
})

needs('postgres')('migrating by several processes at once', () => {
  it('applies each file exactly once on an empty database', async () => {
    const name = `svc_test_migrate_${process.pid}`
    await onServer(stores.postgres!, `create database ${name}`)
    const url = withDatabase(stores.postgres!, name)
    const pools = Array.from({ length: 4 }, () => openPostgres({ url, onError: () => {} }))
    try {
      const files = [
        file('x', '0001_first.sql', 'create schema x; create table x.t (n int)'),
        file('x', '0002_slow.sql', 'select pg_sleep(0.2); insert into x.t values (2)'),
        file('x', '0003_last.sql', 'insert into x.t values (3)'),
      ]
      const done = await Promise.all([...pools, ...pools].map((db) => migrate(db, files)))
      expect(done.flat()).toEqual(['x/0001_first.sql', 'x/0002_slow.sql', 'x/0003_last.sql'])
      expect(await pools[0]!.query(sql`select n from x.t order by n`)).toEqual([{ n: 2 }, { n: 3 }])
    } finally {
      await Promise.all(pools.map((db) => db[Symbol.asyncDispose]()))
      await onServer(stores.postgres!, `drop database ${name} with (force)`)
    }
  })
})
