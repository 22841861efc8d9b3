import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmbeddedOptions, openEmbedded } from './embedded.ts'
import { DatabaseUnavailable } from './errors.ts'
import { script, sql } from './sql.ts'
import { hear } from './test-ears.ts'

const ENDLESS = sql`select count(*) from generate_series(1, 1e10::bigint)`
const LIMIT_MS = 1_000
const SLOW = sql`select 1 as one from pg_sleep(${(1.5 * LIMIT_MS) / 1000})`

const place = mkdtempSync(join(tmpdir(), 'svc-embedded-'))
const archive = join(place, 'empty.tar.gz')
let folders = 0

beforeAll(async () => {
  // The first open anywhere makes the cluster and its archive.
  const first = await openEmbedded({ folder: join(place, 'first'), archive, onError: () => {} })
  await first[Symbol.asyncDispose]()
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

const open = (options: Partial<EmbeddedOptions> = {}) =>
  openEmbedded({ folder: join(place, `folder ${folders++}`), archive, onError: () => {}, ...options })

async function openThings(options: Partial<EmbeddedOptions> = {}) {
  const db = await open(options)
  const filling = script('create table things (id int primary key); insert into things values (1), (2)')
  await db.tx((tx) => tx.query(filling), { timeoutMs: 30_000 })
  const ids = async () => (await db.query<{ id: number }>(sql`select id from things order by id`)).map(({ id }) => id)
  return { db, ids, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() }
}

describe('a folder', () => {
  it('keeps its rows when it is closed and opened again', async () => {
    const folder = join(place, 'kept')
    {
      await using first = await openThings({ folder })
      await first.db.query(sql`insert into things values (${3})`)
    }
    await using db = await open({ folder })
    expect(await db.query(sql`select id from things order by id`)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  })

  it('that is new begins as the archive, and one that is not stays as it is', async () => {
    expect(existsSync(archive)).toBe(true)
    const filled = join(place, 'filled.tar')
    {
      await using first = await openThings()
      await first.db.dump(filled, 'none')
    }
    const folder = join(place, 'from archive')
    {
      await using second = await open({ folder, archive: filled })
      await second.query(sql`insert into things values (${3})`)
    }
    await using again = await open({ folder, archive: filled })
    expect(await again.query(sql`select id from things order by id`)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    await using empty = await open()
    await expect(empty.query(sql`select id from things`)).rejects.toMatchObject({ code: '42P01' })
  })

  it('may be none: then all is in memory, with vectors too', async () => {
    await using db = await openEmbedded({ archive, onError: () => {} })
    await db.query(script('create extension vector'))
    const [near] = await db.query<{ far: number }>(sql`select ${'[1,2]'}::vector <-> ${'[4,6]'}::vector as far`)
    expect(near).toEqual({ far: 5 })
  })
})

describe('a statement past its limit', () => {
  let things: Awaited<ReturnType<typeof openThings>>
  beforeAll(async () => {
    things = await openThings({ statementTimeoutMs: LIMIT_MS })
  })
  beforeEach(() => things.db.query(sql`delete from things where id > 2`))
  afterAll(() => things?.[Symbol.asyncDispose]())

  it('is given up at once; those who wait are served after it, and nothing committed is lost', async () => {
    const begun = performance.now()
    const endless = things.db.query(ENDLESS).catch((error: unknown) => error)
    const waiting = [things.ids(), things.db.tx((tx) => tx.query(sql`select 1 as one`)), things.ids()]
    expect(await endless).toMatchObject({ name: 'DatabaseUnavailable', retryAfterSeconds: 1 })
    expect(performance.now() - begun).toBeLessThan(LIMIT_MS + 5_000)
    expect(await Promise.all(waiting)).toEqual([[1, 2], [{ one: 1 }], [1, 2]])
  })

  it('undoes the transaction it was part of, and what that tries afterwards is refused', async () => {
    const after: unknown[] = []
    const work = things.db.tx(async (tx) => {
      await tx.query(sql`insert into things values (${3})`)
      after.push(await tx.query(ENDLESS).catch((error: unknown) => error))
      after.push(await tx.query(sql`insert into things values (${4})`).catch((error: unknown) => error))
      return 'done'
    })
    await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(after).toEqual([expect.any(DatabaseUnavailable), expect.any(DatabaseUnavailable)])
    expect(await things.ids()).toEqual([1, 2])
    await things.db.tx((tx) => tx.query(sql`insert into things values (${5})`))
    expect(await things.ids()).toEqual([1, 2, 5])
  })

  it('leaves no listener deaf: each is told to look, and hears what comes', async () => {
    const ears = await hear(things.db, 'news')
    const others = await hear(things.db, 'other news')
    await things.db.query(sql`select pg_notify('news', 'before')`)
    expect(await ears.until(1)).toEqual(['before'])
    await expect(things.db.query(ENDLESS)).rejects.toBeInstanceOf(DatabaseUnavailable)
    await things.ids()
    await Promise.all([ears.until(2), others.until(1)])
    await things.db.query(sql`select pg_notify('news', 'after')`)
    expect(await ears.until(3)).toEqual(['before', '', 'after'])
    expect(others.heard).toEqual([''])
  })

  it('may run longer in a transaction that asks for it; afterwards the usual limit counts again', async () => {
    expect(await things.db.tx((tx) => tx.query(SLOW), { timeoutMs: 20_000 })).toEqual([{ one: 1 }])
    await expect(things.db.query(SLOW)).rejects.toBeInstanceOf(DatabaseUnavailable)
    const failed = things.db.tx(() => Promise.reject(new Error('no')), { timeoutMs: 20_000 })
    await expect(failed).rejects.toThrow('no')
    await expect(things.db.query(SLOW)).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await things.ids()).toEqual([1, 2])
  })
})

it('in memory a statement past its limit costs what was written; it begins as its archive again', async () => {
  const filled = join(place, 'for memory.tar')
  const source = await openThings()
  await source.db.dump(filled, 'none')
  await source[Symbol.asyncDispose]()
  await using db = await openEmbedded({ archive: filled, statementTimeoutMs: LIMIT_MS, onError: () => {} })
  await db.query(sql`insert into things values (${3})`)
  await expect(db.query(ENDLESS)).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(await db.query(sql`select id from things order by id`)).toEqual([{ id: 1 }, { id: 2 }])
})

it('a transaction may have a shorter limit; afterwards the usual one counts again', async () => {
  await using things = await openThings()
  const hasty = things.db.tx((tx) => tx.query(SLOW), { timeoutMs: LIMIT_MS })
  await expect(hasty).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(await things.db.query(SLOW)).toEqual([{ one: 1 }])
  expect(await things.ids()).toEqual([1, 2])
})
