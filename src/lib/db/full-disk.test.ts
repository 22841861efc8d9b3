import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { mountSmallDisk } from '#test/databases/small-disk.ts'
import { until, untilDone } from '#test/until.ts'
import { openEmbedded } from './embedded/embedded.ts'
import { DatabaseUnavailable } from './errors.ts'
import { script, sql } from './sql.ts'

const disk = mountSmallDisk(96)
afterAll(() => disk?.[Symbol.dispose]())

const FULL = { name: 'DatabaseUnavailable', writeFault: 'the disk is full; free some space' }

/**
 * Returns the refusal of a write. On a busy machine the new engine can take longer to start than one attempt waits for
 * it, which is a refusal without a reason, and the write is tried again.
 */
function refusalOf(write: () => Promise<unknown>): Promise<unknown> {
  return until(async () => {
    const refusal = await write().then(
      () => 'written',
      (error: unknown) => error,
    )
    return refusal instanceof DatabaseUnavailable && refusal.writeFault === undefined ? undefined : refusal
  })
}

describe.skipIf(!disk)('OP-01 an embedded database on a disk that fills up (skipped: needs root, to mount one)', () => {
  const open = () => openEmbedded({ folder: join(disk!.path, 'db'), onError: () => {} })

  it('refuses writes with the reason, comes back without a restart, and has lost nothing', async () => {
    const things = sql`select count(*), max(id) from things`
    {
      await using db = await open()
      await db.query(script('create table things (id int primary key)'))
      await db.query(sql`insert into things select g from generate_series(1, 5000) g`)
      disk!.fill()
      const large = sql`insert into things select g from generate_series(10000, 500000) g`
      await expect(db.query(large)).rejects.toMatchObject(FULL)
      expect(await db.query(things)).toEqual([{ count: 5000, max: 5000 }])
      // Without room for the next file of its log the engine panics, and a new one cannot start either.
      await db.query(sql`select pg_switch_wal()`)
      const touch = sql`update things set id = id where id = 1`
      const insert = (id: number) => sql`insert into things values (${id})`
      await expect(db.query(insert(6000))).rejects.toMatchObject(FULL)
      expect(await refusalOf(() => db.query(insert(6001)))).toMatchObject(FULL)
      expect(await refusalOf(() => db.tx((tx) => tx.query(insert(6002))))).toMatchObject(FULL)
      expect(await refusalOf(() => db.recheckWrites(touch))).toMatchObject(FULL)
      disk!.free()
      await untilDone(() => db.recheckWrites(touch))
      await db.query(sql`insert into things values (7000)`)
      expect(await db.query(things)).toEqual([{ count: 5001, max: 7000 }])
    }
    await using again = await open()
    expect(await again.query(things)).toEqual([{ count: 5001, max: 7000 }])
  })
})

describe('OP-01 a database that refuses to write', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  it('because its disk is full is told apart from other faults, until a write succeeds', async () => {
    const { db } = database
    const raise = (code: string) => script(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`)
    await db.recheckWrites(raise('53100'))
    const quoted = 'could not open file "a": Read-only file system'
    for (const value of ['ENOSPC', 'No space left on device', quoted])
      await expect(db.query(sql`select ${value}::int`)).rejects.toMatchObject({ code: '22P02' })
    await expect(db.query(raise('22012'))).rejects.not.toBeInstanceOf(DatabaseUnavailable)
    await db.recheckWrites(raise('53100'))
    await expect(db.query(raise('53100'))).rejects.toMatchObject(FULL)
    await expect(db.recheckWrites(raise('53100'))).rejects.toMatchObject(FULL)
    await db.recheckWrites(sql`update svc.data_keys set first_used_at = first_used_at`)
    await db.recheckWrites(raise('53100'))
  })

  it('because it is read-only is unavailable, but not in a transaction that we began as read-only', async () => {
    const { db } = database
    const write = sql`update svc.data_keys set first_used_at = first_used_at`
    const mistake = db.tx((tx) => tx.query(write), { readOnly: true })
    await expect(mistake).rejects.toMatchObject({ code: '25006' })
    await db.query(script('set default_transaction_read_only = on'))
    const refused = { name: 'DatabaseUnavailable', writeFault: expect.stringContaining('the database is read-only') }
    await expect(db.tx((tx) => tx.query(write))).rejects.toMatchObject(refused)
    // The connection that refused was closed; another one may reach the server that took over.
    await db.tx((tx) => tx.query(write))
  })
})
