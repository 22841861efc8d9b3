import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { logRetention } from './retention.ts'
import { appendLines, countDropped, findDeployLines, findLines, findLinesAfter, lastLineId } from './store.ts'

const ALL = { words: [], minLevel: undefined, deployId: undefined }
const DAY_MS = 24 * 60 * 60_000
/** Long after the partition that the migrations make. */
const NOW = new Date('2099-06-03T12:00:00Z')
const day = (days: number) => new Date(NOW.getTime() + days * DAY_MS)
const never = new AbortController().signal

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await openTestDatabase()
  db = database.db
})
afterAll(() => database?.[Symbol.asyncDispose]())

const tick = (now: Date, over: { on?: Db; maxBytes?: number; maxAgeDays?: number } = {}) =>
  logRetention({ db: over.on ?? db, maxBytes: 1e9, maxAgeDays: 14, ...over }).tick(now, never)

async function makeApp(): Promise<string> {
  const id = newId('app')
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${id}, 'org', ${id}, 'Shop', ${id}, '/', 'active', 'usr', ${NOW})`)
  return id
}
function append(appId: string, text: string, at: Date): Promise<boolean> {
  const line = { deployId: 'dep', at, level: 2, source: 'build', text, dropped: 0 } as const
  return db.tx((tx) => appendLines(tx, appId, [line]))
}
const textsOf = async (app: string) =>
  (await findLines(db, app, ALL, { limit: 100, before: undefined })).map(({ text }) => text)
/** Times at which the partitions with lines of an app were made, from their names. */
async function partitionsOf(app: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select distinct right(tableoid::regclass::text, 12) as name from apps.logs where app_id = ${app}
    order by 1`)
  return rows.map(({ name }) => name)
}
async function bytesOf(app: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`select bytes from apps.log_sizes where app_id = ${app}`)
  return row!.bytes
}

describe('MA-15 retention of logs', () => {
  it('stores lines in a partition of their day, and shows them in one order', async () => {
    const app = await makeApp()
    for (const n of [0, 0.5, 1, 2]) {
      await tick(day(n))
      await append(app, `day ${n}`, day(n))
    }
    expect(await partitionsOf(app)).toEqual(['209906031200', '209906041200', '209906051200'])
    expect(await textsOf(app)).toEqual(['day 2', 'day 1', 'day 0.5', 'day 0'])
    const [newest] = await findLines(db, app, ALL, { limit: 1, before: undefined })
    expect(await textsBefore(app, newest!.id)).toEqual(['day 1', 'day 0.5', 'day 0'])
  })

  it('removes the lines of a day when all of them are 14 days old, and counts them out of the log', async () => {
    const app = await makeApp()
    for (const n of [10, 11, 12]) {
      await tick(day(n))
      await append(app, `day ${n}`, day(n))
    }
    expect(await bytesOf(app)).toBe(18)
    await tick(day(25))
    expect([await textsOf(app), await bytesOf(app)]).toEqual([['day 12', 'day 11', 'day 10'], 18])
    await tick(day(25.1))
    expect([await textsOf(app), await bytesOf(app)]).toEqual([['day 12', 'day 11'], 12])
    await tick(day(40))
    expect([await textsOf(app), await bytesOf(app)]).toEqual([[], 0])
  })

  it('keeps a line by when it was stored, also if its sender says that it is old', async () => {
    const app = await makeApp()
    await tick(day(50))
    await append(app, 'imported', new Date('2020-01-01T00:00:00Z'))
    await append(app, 'new', day(50))
    await tick(day(51))
    await tick(day(64))
    expect(await textsOf(app)).toEqual(['new', 'imported'])
    await tick(day(65.1))
    expect(await textsOf(app)).toEqual([])
  })

  it('keeps every line while no worker runs for two months, and for 14 days after that', async () => {
    const app = await makeApp()
    await tick(day(100))
    await append(app, 'before', day(100))
    await append(app, 'meanwhile', day(160))
    await tick(day(160))
    await append(app, 'after', day(160))
    expect(await textsOf(app)).toEqual(['after', 'meanwhile', 'before'])
    expect(await partitionsOf(app)).toEqual(['209909111200', '209911101200'])
    await tick(day(173))
    expect(await textsOf(app)).toEqual(['after', 'meanwhile', 'before'])
    await tick(day(174.1))
    expect(await textsOf(app)).toEqual(['after'])
  })

  it('goes on after a crash between making a partition and using it', async () => {
    const app = await makeApp()
    await tick(day(200))
    await append(app, 'before', day(200))
    let transactions = 0
    const crashing: Db = {
      ...db,
      tx: (run, options) => (++transactions === 2 ? Promise.reject(new Error('crashed')) : db.tx(run, options)),
    }
    await expect(tick(day(201), { on: crashing })).rejects.toThrow('crashed')
    await append(app, 'meanwhile', day(213))
    await tick(day(213))
    await append(app, 'after', day(213))
    expect(await partitionsOf(app)).toEqual(['209912201200', '210001021200'])
    // The partition after the first was made 15 days ago, and yet the first has a young line.
    await tick(day(216))
    expect(await textsOf(app)).toEqual(['after', 'meanwhile', 'before'])
    await tick(day(227.1))
    expect(await textsOf(app)).toEqual(['after'])
    await tick(day(230.1))
    expect(await textsOf(app)).toEqual([])
  })

  it('removes lines in time though the clock of a worker was wrong for a while', async () => {
    const app = await makeApp()
    await tick(day(300))
    await append(app, 'before', day(300))
    await tick(new Date('2150-01-01T00:00:00Z'))
    await append(app, 'meanwhile', day(300))
    await tick(day(300.1))
    await tick(day(300.2))
    await append(app, 'after', day(300.2))
    expect(await partitionsOf(app)).toEqual(['210003301200', '210003301424', '215001010000'])
    expect(await textsOf(app)).toEqual(['after', 'meanwhile', 'before'])
    await tick(day(302))
    await tick(day(314.3))
    expect(await textsOf(app)).toEqual(['after'])
    await tick(day(317))
    expect(await textsOf(app)).toEqual([])
  })

  it('has at most sixteen partitions, however long lines are kept', async () => {
    for (let n = 0; n < 540; n += 27) await tick(day(1_000 + n), { maxAgeDays: 365 })
    const [row] = await db.query<{ n: number }>(sql`
      select count(*)::int as n from pg_inherits where inhparent = 'apps.logs'::regclass`)
    expect(row!.n).toBeLessThanOrEqual(16)
  })

  it('removes the oldest lines of a log that is too large, over partitions', async () => {
    const [app, other] = [await makeApp(), await makeApp()]
    for (const n of [2_000, 2_001, 2_002]) {
      await tick(day(n))
      await db.tx((tx) =>
        appendLines(
          tx,
          app,
          Array.from({ length: 2_500 }, () => lineAt(day(n))),
        ),
      )
      await append(other, 'small', day(n))
    }
    await tick(day(2_002), { maxBytes: 2_500 })
    expect([await bytesOf(app), (await countOf(app)).n, await textsOf(other)]).toEqual([
      2_500,
      2_500,
      ['small', 'small', 'small'],
    ])
  })
})

describe('MA-15 reading a log of many partitions', () => {
  let app: string
  beforeAll(async () => {
    app = await makeApp()
    for (let n = 3_000; n < 3_008; n++) {
      await tick(day(n))
      await db.query(sql`
        insert into apps.logs (app_id, deploy_id, at, level, source, text)
        select case mod(i, 20) when 0 then ${app} else 'app_' || mod(i, 20) end, 'dep_' || mod(i, 100), ${day(n)}, 2,
          case when mod(i, 100) < 50 then 'build' else 'app' end, 'x ' || repeat('y', 80)
        from generate_series(1, 3000) i`)
    }
    await db.query(sql`analyze apps.logs`)
  })

  it.each<[string, number, (reader: Querier) => Promise<unknown>]>([
    ['a page', 1, (reader) => findLines(reader, app, ALL, { limit: 101, before: undefined })],
    ['a search', 1, (reader) => findLines(reader, app, { ...ALL, words: ['x'] }, { limit: 101, before: undefined })],
    ['the newest line', 1, (reader) => lastLineId(reader, app)],
    [
      'the next page',
      2,
      async (reader) =>
        findLines(reader, app, ALL, { limit: 101, before: (await findLines(db, app, ALL, PAGE)).at(-1)!.id }),
    ],
    [
      'following',
      1,
      async (reader) => findLinesAfter(reader, app, ALL, { limit: 500, after: await lastLineId(db, app) }),
    ],
  ])('%s reads the lines of at most %i partitions', async (_, most, read) => {
    const scans = await scansOf(read)
    expect(scans.filter((line) => !line.includes('never executed')).length).toBeLessThanOrEqual(most)
    expect(scans.filter((line) => !/Index (Only )?Scan/.test(line))).toEqual([])
  })

  it.each<[string, string, (reader: Querier) => Promise<unknown>]>([
    ['dropped lines', 'app_id_at_idx', (reader) => countDropped(reader, app, ALL)],
    ['lines of a build', 'deploy_id_id_idx', (reader) => findDeployLines(reader, 'dep_7', 0, 500)],
  ])('%s are found by their index %s', async (_, index, read) => {
    const scans = await scansOf(read)
    expect(scans.filter((line) => line.includes(`_${index} `)).length).toBeGreaterThanOrEqual(8)
    expect(scans.filter((line) => line.includes('Seq Scan'))).toEqual([])
  })
})

needs('postgres')('MA-15 dropping lines while others use the log', () => {
  it('neither stops nor fails a reader or a writer, and loses no young line', async () => {
    const [old, app] = [await makeApp(), await makeApp()]
    for (const n of [4_000, 4_001, 4_002]) {
      await tick(day(n))
      await append(old, `day ${n}`, day(n))
    }
    const ending = new AbortController()
    let [written, seen, last] = [0, 0, 0]
    const writing = (async () => {
      for (; !ending.signal.aborted; written++) await append(app, 'x', day(4_016))
    })()
    const reading = (async () => {
      for (let isLastLook = false; !isLastLook; ) {
        isLastLook = ending.signal.aborted
        if (isLastLook) await writing
        const rows = await findLinesAfter(db, app, ALL, { limit: 10_000, after: last })
        seen += rows.length
        last = rows.at(-1)?.id ?? last
      }
    })()
    await until(() => seen > 10)
    await until(async () => {
      await tick(day(4_016.1))
      return (await textsOf(old)).join() === 'day 4002'
    })
    const atDrop = seen
    await until(() => seen > atDrop + 10)
    ending.abort()
    await Promise.all([writing, reading])
    expect(seen).toBe(written)
    expect(await bytesOf(app)).toBe(written)
  })

  it('waits for no reader that takes long, and tries again', async () => {
    const app = await makeApp()
    for (const n of [4_100, 4_101]) {
      await tick(day(n))
      await append(app, `day ${n}`, day(n))
    }
    const [isOpen, isDone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const reader = db.tx(async (tx) => {
      await tx.query(sql`select from apps.logs`)
      isOpen.resolve()
      await isDone.promise
    })
    await isOpen.promise
    await tick(day(4_115.1))
    await append(app, 'day 4115', day(4_115))
    expect([await textsOf(app), await bytesOf(app)]).toEqual([['day 4115', 'day 4101', 'day 4100'], 24])
    isDone.resolve()
    await reader
    await tick(day(4_115.1))
    expect([await textsOf(app), await bytesOf(app)]).toEqual([['day 4115', 'day 4101'], 16])
  })

  it('lets only one of two workers make a partition', async () => {
    const before = await numbers()
    await Promise.all([tick(day(4_200)), tick(new Date(day(4_200).getTime() + 60_000))])
    expect((await numbers()).at(-1)! - before.at(-1)!).toBe(1)
  })
})

const PAGE = { limit: 101, before: undefined }

function lineAt(at: Date) {
  return { deployId: null, at, level: 2, source: 'app', text: 'x', dropped: 0 } as const
}

async function textsBefore(app: string, before: number): Promise<string[]> {
  return (await findLines(db, app, ALL, { limit: 100, before })).map(({ text }) => text)
}

async function countOf(app: string): Promise<{ n: number }> {
  const [row] = await db.query<{ n: number }>(sql`select count(*)::int as n from apps.logs where app_id = ${app}`)
  return row!
}

async function numbers(): Promise<number[]> {
  const rows = await db.query<{ n: number }>(sql`
    select split_part(inhrelid::regclass::text, '_', 2)::int as n from pg_inherits
    where inhparent = 'apps.logs'::regclass order by 1`)
  return rows.map(({ n }) => n)
}

/** Returns the lines about partitions in the plans of the statements with which something is read. */
async function scansOf(read: (reader: Querier) => Promise<unknown>): Promise<string[]> {
  const lines: string[] = []
  await read({
    query: async (statement) => {
      const explain = sql`explain (analyze, costs off, timing off, summary off) ${statement}`
      lines.push(...(await db.query<{ 'QUERY PLAN': string }>(explain)).map((row) => row['QUERY PLAN']))
      return [{} as never]
    },
  })
  return lines.filter((line) => /Scan.* on logs_\d/.test(line))
}
