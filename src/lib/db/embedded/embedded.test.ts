import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenUntilTestEnds } from '#test/listen.ts'
import { until } from '#test/until.ts'
import type { Db } from '../db.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { script, sql } from '../sql.ts'
import { type EmbeddedOptions, openEmbedded } from './embedded.ts'

const ENDLESS = sql`select count(*) from generate_series(1, 1e10::bigint)`
/** Under a fake clock, so that it passes when a test says so. Shorter than the ten seconds the pool waits. */
const LIMIT_MS = 5_000

const place = mkdtempSync(join(tmpdir(), 'svc-embedded-'))
let folders = 0

afterAll(() => rmSync(place, { recursive: true, force: true }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

const open = (options: Partial<EmbeddedOptions> = {}) =>
  openEmbedded({ folder: join(place, `folder ${folders++}`), onError: () => {}, ...options })

async function openThings(options: Partial<EmbeddedOptions> = {}) {
  const db = await open(options)
  const filling = script('create table things (id int primary key); insert into things values (1), (2)')
  await db.tx((tx) => tx.query(filling), { timeoutMs: 30_000 })
  const ids = async () => (await db.query<{ id: number }>(sql`select id from things order by id`)).map(({ id }) => id)
  return { db, ids, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() }
}

/** An archive with the two things, and the folder it was made of, to which a third was added afterwards. */
const filled = join(place, 'filled.tar')
const reused = join(place, 'reused')
beforeAll(async () => {
  // Makes the table, so a folder without an archive began empty.
  await using first = await openThings({ folder: reused })
  await first.db.dump(filled)
  await first.db.query(sql`insert into things values (${3})`)
})

describe('a folder', () => {
  it('keeps its rows when it is closed and opened again', async () => {
    await using db = await open({ folder: reused })
    expect(await db.query(sql`select id from things order by id`)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  })

  it('that is new begins as the archive, and one that is not stays as it is', async () => {
    const folder = join(place, 'from archive')
    {
      await using first = await open({ folder, archive: filled })
      expect(await first.query(sql`select id from things order by id`)).toEqual([{ id: 1 }, { id: 2 }])
      await first.query(sql`insert into things values (${4})`)
    }
    await using again = await open({ folder, archive: filled })
    expect(await again.query(sql`select id from things order by id`)).toEqual([{ id: 1 }, { id: 2 }, { id: 4 }])
  })

  it('may be none: then all is in memory, with vectors too', async () => {
    await using db = await openEmbedded({ onError: () => {} })
    await db.query(script('create extension vector'))
    const [near] = await db.query<{ far: number }>(sql`select ${'[1,2]'}::vector <-> ${'[4,6]'}::vector as far`)
    expect(near).toEqual({ far: 5 })
  })
})

/** Starts a statement that never ends; resolves once its time limit runs. `ended` gives the error that ends it. */
async function startEndless(db: Pick<Db, 'query'>, limitMs = LIMIT_MS): Promise<{ ended: Promise<unknown> }> {
  const timers = vi.spyOn(globalThis, 'setTimeout').mockClear()
  const ended = db.query(ENDLESS).catch((error: unknown) => error)
  await until(() => timers.mock.calls.some(([, ms]) => ms === limitMs))
  return { ended }
}

async function passLimit(db: Pick<Db, 'query'>, limitMs = LIMIT_MS): Promise<unknown> {
  const { ended } = await startEndless(db, limitMs)
  vi.advanceTimersByTime(limitMs)
  return ended
}

describe('a statement past its limit', () => {
  let things: Awaited<ReturnType<typeof openThings>>
  beforeAll(async () => {
    things = await openThings({ statementTimeoutMs: LIMIT_MS })
  })
  beforeEach(async () => {
    await things.db.query(sql`delete from things where id > 2`)
    stopClock()
  })
  afterAll(() => things?.[Symbol.asyncDispose]())

  it('is given up; those who wait are served after it, and nothing committed is lost', async () => {
    const { ended } = await startEndless(things.db)
    const waiting = [things.ids(), things.db.tx((tx) => tx.query(sql`select 1 as one`)), things.ids()]
    vi.advanceTimersByTime(LIMIT_MS)
    expect(await ended).toMatchObject({ name: 'DatabaseUnavailable', retryAfterSeconds: 1 })
    expect(await Promise.all(waiting)).toEqual([[1, 2], [{ one: 1 }], [1, 2]])
  })

  it('undoes the transaction it was part of, and what that tries afterwards is refused', async () => {
    const after: unknown[] = []
    const work = things.db.tx(async (tx) => {
      await tx.query(sql`insert into things values (${3})`)
      after.push(await passLimit(tx))
      after.push(await tx.query(sql`insert into things values (${4})`).catch((error: unknown) => error))
      return 'done'
    })
    await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(after).toEqual([expect.any(DatabaseUnavailable), expect.any(DatabaseUnavailable)])
    expect(await things.ids()).toEqual([1, 2])
    await things.db.tx((tx) => tx.query(sql`insert into things values (${5})`))
    expect(await things.ids()).toEqual([1, 2, 5])
  })

  it('notifies every listener to look again, and later notifications arrive', async () => {
    const ears = await listenUntilTestEnds(things.db, 'news')
    const others = await listenUntilTestEnds(things.db, 'other news')
    await things.db.query(sql`select pg_notify('news', 'before')`)
    expect(await ears.until(1)).toEqual(['before'])
    expect(await passLimit(things.db)).toBeInstanceOf(DatabaseUnavailable)
    await things.ids()
    await Promise.all([ears.until(2), others.until(1)])
    await things.db.query(sql`select pg_notify('news', 'after')`)
    expect(await ears.until(3)).toEqual(['before', '', 'after'])
    expect(others.received).toEqual([''])
  })

  it('may run longer in a transaction that asks for it; afterwards the usual limit counts again', async () => {
    const patient = things.db.tx(
      async (tx) => {
        const { ended } = await startEndless(tx, LIMIT_MS + 3_000)
        vi.advanceTimersByTime(LIMIT_MS)
        expect(vi.getTimerCount()).toBe(1)
        vi.advanceTimersByTime(3_000)
        throw await ended
      },
      { timeoutMs: LIMIT_MS + 3_000 },
    )
    await expect(patient).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await passLimit(things.db)).toBeInstanceOf(DatabaseUnavailable)
    const failed = things.db.tx(() => Promise.reject(new Error('no')), { timeoutMs: LIMIT_MS + 3_000 })
    await expect(failed).rejects.toThrow('no')
    expect(await passLimit(things.db)).toBeInstanceOf(DatabaseUnavailable)
    expect(await things.ids()).toEqual([1, 2])
  })

  it('may be ended sooner in a transaction that asks for it; afterwards the usual limit counts again', async () => {
    const hasty = things.db.tx((tx) => passLimit(tx, 1_000), { timeoutMs: 1_000 })
    await expect(hasty).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await things.ids()).toEqual([1, 2])
    const { ended } = await startEndless(things.db)
    vi.advanceTimersByTime(1_000)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(LIMIT_MS - 1_000)
    expect(await ended).toBeInstanceOf(DatabaseUnavailable)
    expect(await things.ids()).toEqual([1, 2])
  })
})

it('in memory a statement past its limit costs what was written; it begins as its archive again', async () => {
  await using db = await openEmbedded({ archive: filled, statementTimeoutMs: LIMIT_MS, onError: () => {} })
  await db.query(sql`insert into things values (${3})`)
  stopClock()
  expect(await passLimit(db)).toBeInstanceOf(DatabaseUnavailable)
  expect(await db.query(sql`select id from things order by id`)).toEqual([{ id: 1 }, { id: 2 }])
})
