import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { storedBytes, touchBlobs } from './blob-store.ts'
import { collectBlobs, collectLoop } from './collect.ts'
import type { RevisionDeps } from './deps.ts'
import { readFiles } from './read-files.ts'
import { saveRevision } from './save.ts'
import { createBlobWriter } from './write-blobs.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

let database: TestDatabase
let db: Db
let deps: RevisionDeps
let clock: ReturnType<typeof testClock>
let orgId: string
let alias: string

beforeAll(async () => {
  database = await openTestDatabase()
  db = database.db
})
afterAll(() => database?.[Symbol.asyncDispose]())
beforeEach(async () => {
  await db.query(sql`delete from apps.apps`)
  await db.query(sql`delete from apps.blobs`)
  clock = testClock()
  deps = { db, clock, maxStoreBytes: 1_000_000 }
  orgId = `org_${randomBytes(4).toString('hex')}`
  alias = 'hello'
  await addApp(orgId)
})

const addApp = (org: string) =>
  db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${`app_${org}`}, ${org}, ${alias}, ${alias}, ${org}, '/', 'active', 'usr_x', now())`)

const shaOf = (content: string) => createHash('sha256').update(content).digest('hex')

async function upload(contents: readonly string[], org = orgId, on: RevisionDeps = deps): Promise<void> {
  const writer = createBlobWriter(on, org)
  for (const content of contents) await writer.add({ sha256: shaOf(content), content: Buffer.from(content) })
  await writer.flush()
}

const filesOf = (contents: readonly string[]) =>
  contents.map((content) => ({
    path: `dir/${content}`,
    executable: false,
    size: Buffer.byteLength(content),
    sha256: shaOf(content),
  }))

const save = (contents: readonly string[], org = orgId, on: RevisionDeps = deps) =>
  saveRevision(on, { orgId: org, alias, files: filesOf(contents), message: null, createdBy: null, actor: 'test' })

const storedContents = async (org = orgId) => {
  const rows = await db.query<{ content: Buffer }>(sql`select content from apps.blobs where org_id = ${org}`)
  return rows.map(({ content }) => content.toString()).sort()
}

const never = new AbortController().signal

/** Runs the loop until it has nothing more to do. Returns when it wants to run again. */
async function collect(): Promise<Date> {
  const loop = collectLoop(deps)
  for (;;) {
    const now = clock.now()
    const next = await loop.tick(now, never)
    if (next.getTime() - now.getTime() > 60_000) return next
  }
}

describe('collecting files', () => {
  it('MA-15 a file that no revision uses is removed after a day, and no other', async () => {
    await upload(['used', 'unused'])
    await save(['used'])
    const other = `${orgId}x`
    await addApp(other)
    await upload(['used', 'unused'], other)
    await save(['unused'], other)
    clock.advance(DAY_MS)
    expect(await collect()).toEqual(new Date(clock.now().getTime() + HOUR_MS))
    expect(await storedContents()).toEqual(['unused', 'used'])
    clock.advance(1)
    await collect()
    expect(await storedContents()).toEqual(['used'])
    expect(await storedContents(other)).toEqual(['unused'])
  })

  it('MA-15 asking for a file, or uploading it again, keeps it for another day', async () => {
    await upload(['asked', 'sent', 'left'])
    clock.advance(DAY_MS - HOUR_MS)
    await db.tx((tx) => touchBlobs(tx, orgId, [shaOf('asked')], clock.now()))
    await upload(['sent'])
    clock.advance(2 * HOUR_MS)
    await collect()
    expect(await storedContents()).toEqual(['asked', 'sent'])
  })

  it('MA-15 files of a deleted app are removed, and their bytes are free again', async () => {
    const contents = Array.from({ length: 450 }, (_, n) => `content ${n}`)
    await upload(contents)
    for (let n = 0; n < 45; n++) await save(contents.slice(n * 10, n * 10 + 10))
    clock.advance(2 * DAY_MS)
    await collect()
    expect((await storedContents()).length).toBe(450)
    expect(await storedBytes(db, orgId)).toBeGreaterThan(contents.join('').length)
    await db.query(sql`delete from apps.apps where org_id = ${orgId}`)
    expect(await storedBytes(db, orgId)).toBe(contents.join('').length)
    clock.advance(2 * DAY_MS)
    await collect()
    expect(await storedContents()).toEqual([])
    expect(await storedBytes(db, orgId)).toBe(0)
  })

  it('MA-15 a stop ends the work between two steps', async () => {
    await upload(['unused'])
    clock.advance(2 * DAY_MS)
    await collectLoop(deps).tick(clock.now(), AbortSignal.abort())
    expect(await storedContents()).toEqual(['unused'])
  })
})

describe('a stored revision', () => {
  it('MA-15 cannot be changed in the database, nor can its files', async () => {
    await upload(['a'])
    await save(['a'])
    const refused = { message: 'a revision and its files cannot be changed' }
    await expect(db.query(sql`update apps.revisions set manifest = '[]'`)).rejects.toMatchObject(refused)
    await expect(db.query(sql`update apps.revisions set message = 'x'`)).rejects.toMatchObject(refused)
    await expect(db.query(sql`update apps.blobs set content = 'b'`)).rejects.toMatchObject(refused)
    await expect(db.query(sql`update apps.blobs set sha256 = sha256('b')`)).rejects.toMatchObject(refused)
    const wrong = sql`insert into apps.blobs values (${orgId}, sha256('b'), 1, 'c', now())`
    await expect(db.query(wrong)).rejects.toMatchObject({ code: '23514' })
  })

  it('MA-15 is handed to a build file by file, in the order of its paths', async () => {
    const contents = Array.from({ length: 300 }, (_, n) => `${n}`.padStart(3, '0'))
    await upload(contents)
    const { id } = await save(contents)
    const files = await Array.fromAsync(readFiles(db, orgId, id))
    expect(files.map(({ path }) => path)).toEqual(contents.map((content) => `dir/${content}`))
    expect(files.map(({ content }) => Buffer.from(content).toString())).toEqual(contents)
    await expect(Array.fromAsync(readFiles(db, 'org_other', id))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

needs('postgres')('with two connections', () => {
  let second: Db
  beforeAll(() => {
    second = openPostgres({ url: database.url!, onError: console.error })
  })
  afterAll(() => second?.[Symbol.asyncDispose]())

  const isWaiting = () =>
    until(async () => {
      const rows = await db.query(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      return rows.length > 0
    })

  it('MA-15 a file that a revision is just about to use is not collected', async () => {
    await upload(['a', 'b'])
    clock.advance(2 * DAY_MS)
    const release = Promise.withResolvers<void>()
    const touched = Promise.withResolvers<void>()
    const using = second.tx(async (tx) => {
      await touchBlobs(tx, orgId, [shaOf('a')], clock.now())
      touched.resolve()
      await release.promise
    })
    await touched.promise
    await collectLoop(deps).tick(clock.now(), never)
    expect(await storedContents()).toEqual(['a'])
    release.resolve()
    await using
    await save(['a'])
    expect(await storedContents()).toEqual(['a'])
  })

  it('MA-15 a file of a revision survives a use that is rolled back while files are collected', async () => {
    await upload(['a'])
    await save(['a'])
    clock.advance(2 * DAY_MS)
    const release = Promise.withResolvers<void>()
    const touched = Promise.withResolvers<void>()
    const using = second.tx(async (tx) => {
      await touchBlobs(tx, orgId, [shaOf('a')], clock.now())
      touched.resolve()
      await release.promise
      throw new Error('rolled back')
    })
    await touched.promise
    const collecting = collect()
    await isWaiting()
    release.resolve()
    await expect(using).rejects.toThrow('rolled back')
    await collecting
    expect(await storedContents()).toEqual(['a'])
  })

  it('MA-15 a revision whose file is being collected is refused, and never exists without it', async () => {
    await upload(['a'])
    clock.advance(2 * DAY_MS)
    const release = Promise.withResolvers<void>()
    const removed = Promise.withResolvers<void>()
    const removing = second.tx(async (tx) => {
      await tx.query(sql`delete from apps.blobs where org_id = ${orgId}`)
      removed.resolve()
      await release.promise
    })
    await removed.promise
    const saving = expect(save(['a'])).rejects.toMatchObject({ code: 'REVISION_INCOMPLETE' })
    await isWaiting()
    release.resolve()
    await removing
    await saving
    await upload(['a'])
    await save(['a'])
    expect(await storedContents()).toEqual(['a'])
  })

  it('MA-15 uploads, creations and collections at once lose no file of a revision', async () => {
    const contents = Array.from({ length: 40 }, (_, n) => `content ${n}`)
    const work = async (on: Db, round: number) => {
      const own = { ...deps, db: on }
      const some = contents.filter((_, n) => (n * 7 + round) % 3 !== 0)
      await upload(some, orgId, own)
      await save(some, orgId, own).catch((error: { code?: string }) => {
        if (error.code !== 'REVISION_INCOMPLETE') throw error
      })
    }
    const sweep = async (on: Db) => {
      // With a limit in the future everything that no revision uses is old.
      const now = new Date(clock.now().getTime() + DAY_MS)
      await collectBlobs(on, { orgId, unusedSince: new Date(clock.now().getTime() - 1), now }, never)
    }
    for (let round = 0; round < 10; round++) {
      clock.advance(2 * DAY_MS)
      await Promise.all([work(db, round), work(second, round + 1), sweep(db), sweep(second), work(second, round)])
    }
    const rows = await db.query<{ id: string }>(sql`select id from apps.revisions where org_id = ${orgId}`)
    expect(rows.length).toBeGreaterThan(0)
    for (const { id } of rows) expect((await Array.fromAsync(readFiles(db, orgId, id))).length).toBeGreaterThan(0)
    const [sums] = await db.query<{ bytes: number }>(sql`
      select (select coalesce(sum(size), 0) from apps.blobs where org_id = ${orgId})::int8
        + (select sum(manifest_bytes) from apps.revisions where org_id = ${orgId})::int8 as bytes`)
    expect(await storedBytes(db, orgId)).toBe(sums!.bytes)
  })

  it('MA-15 uploads at once never exceed the limit of the organization', async () => {
    const small = { ...deps, maxStoreBytes: 10_000 }
    const content = (n: number) => `${n} `.padEnd(900, 'x')
    const uploads = Array.from({ length: 30 }, (_, n) =>
      upload([content(n)], orgId, { ...small, db: n % 2 ? db : second }).then(
        () => 'stored',
        (error: { code?: string }) => error.code,
      ),
    )
    const outcomes = await Promise.all(uploads)
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(11)
    expect(outcomes.filter((outcome) => outcome === 'REVISION_STORE_FULL')).toHaveLength(19)
    expect(await storedBytes(db, orgId)).toBe(9_900)
  })

  it('MA-15 the same revision created twice at once is one', async () => {
    await upload(['a'])
    const revisions = await Promise.all([save(['a']), save(['a'], orgId, { ...deps, db: second }), save(['a'])])
    expect(new Set(revisions.map(({ id }) => id)).size).toBe(1)
  })
})
