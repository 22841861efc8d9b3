import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '#test/databases/own-postgres.ts'
import { collectNotifications } from '#test/listen.ts'
import { needs } from '#test/stores.ts'
import { untilDone } from '#test/until.ts'
import { DatabaseUnavailable } from './errors.ts'
import { openPostgres } from './postgres.ts'
import { script, sql } from './sql.ts'

needs('postgres')('a server that is paused', () => {
  let server: OwnPostgres
  beforeAll(async () => {
    server = await startOwnPostgres({})
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const open = (options: { maxConnections?: number; heartbeatMs?: number } = {}) => {
    const errors = collectNotifications()
    const limits = { statementTimeoutMs: 500, connectTimeoutMs: 500 }
    return {
      errors,
      db: openPostgres({ url: server.url, onError: (error) => errors.onNotify(String(error)), ...limits, ...options }),
    }
  }
  const paused = async <T>(work: () => Promise<T>): Promise<T> => {
    server.pause()
    try {
      return await work()
    } finally {
      server.resume()
    }
  }
  const one = sql`select 1 as one`
  const pid = sql`select pg_backend_pid() as pid`

  it('OP-02 is given up by statements and transactions, and works again when it goes on', async () => {
    const { db } = open()
    const before = await untilDone(() => Promise.all(Array.from({ length: 10 }, () => db.query(pid))))
    const asks = [
      () => db.query(one),
      () => db.tx((tx) => tx.query(one)),
      () => db.tx((tx) => tx.query(one), { timeoutMs: 100 }),
      () => db.tx((tx) => tx.query(script('select 1'))),
    ]
    // More than there are connections: some of them wait for one, and make new ones.
    const refused = await paused(() =>
      Promise.all([...asks, ...asks, ...asks].map((ask) => ask().catch((error: unknown) => error))),
    )
    expect(refused.map((error) => error instanceof DatabaseUnavailable)).toEqual(Array(12).fill(true))
    expect(await untilDone(() => db.tx((tx) => tx.query(one)))).toEqual([{ one: 1 }])
    expect(before).not.toContainEqual(await untilDone(() => db.query(pid)))
    await db[Symbol.asyncDispose]()
  })

  it('OP-02 undoes a transaction it was paused in; a commit without an answer is refused', async () => {
    const { db } = open()
    await untilDone(() => db.query(script('create table if not exists public.things (id int)')))
    const inside = db.tx(async (tx) => {
      await tx.query(sql`insert into public.things values (1)`)
      server.pause()
      await tx.query(sql`insert into public.things values (2)`).catch(() => undefined)
      await tx.query(sql`insert into public.things values (3)`)
    })
    await expect(inside).rejects.toBeInstanceOf(DatabaseUnavailable)
    server.resume()
    expect(await untilDone(() => db.query(sql`select id from public.things`))).toEqual([])
    const atCommit = db.tx(async () => server.pause())
    await expect(atCommit).rejects.toBeInstanceOf(DatabaseUnavailable)
    server.resume()
    expect(await untilDone(() => db.query(one))).toEqual([{ one: 1 }])
    await db[Symbol.asyncDispose]()
  })

  it('OP-02 is listened to again, and every listener is notified to look', async () => {
    const { db, errors } = open({ heartbeatMs: 100 })
    const [ears, late] = [collectNotifications(), collectNotifications()]
    await untilDone(() => db.listen('news', ears.onNotify))
    const [notificationCount, failed] = [ears.received.length, errors.received.length]
    await paused(async () => {
      await errors.until(failed + 1)
      await expect(db.listen('late news', late.onNotify)).rejects.toBeInstanceOf(DatabaseUnavailable)
    })
    await Promise.all([ears.until(notificationCount + 1), late.until(1)])
    await untilDone(async () => {
      await db.query(sql`select pg_notify('news', 'after')`)
      expect(ears.received).toContain('after')
    })
    await db[Symbol.asyncDispose]()
  })

  it('OP-02 does not prevent closing', async () => {
    const { db } = open()
    await untilDone(() => db.listen('news', () => {}))
    await untilDone(() => db.query(one))
    await paused(() => db[Symbol.asyncDispose]())
  })
})
