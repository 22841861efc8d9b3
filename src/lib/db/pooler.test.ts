import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startPgbouncer } from '#test/databases/pgbouncer.ts'
import { collectNotifications } from '#test/listen.ts'
import { needs, needsPrograms } from '#test/stores.ts'
import { runIfLeased } from '../work/lease.ts'
import { openPostgres } from './postgres.ts'
import { PoolerRefused } from './postgres-listener.ts'
import { sql } from './sql.ts'

const IGNORED = ['statement_timeout', 'idle_in_transaction_session_timeout']

needsPrograms('pgbouncer')('OP-02 behind PgBouncer in transaction mode', () => {
  needs('postgres')('on a server', () => {
    let opened: TestDatabase
    let pooler: Awaited<ReturnType<typeof startPgbouncer>>
    beforeAll(async () => {
      opened = await openTestDatabase()
      pooler = await startPgbouncer(opened.url!)
    })
    afterAll(async () => {
      await pooler?.[Symbol.asyncDispose]()
      await opened?.[Symbol.asyncDispose]()
    })
    const open = () => openPostgres({ url: pooler.url, directUrl: opened.url, onError: () => undefined })

    it('statements, transactions, sessions, notifications and leases work with more clients than connections', async () => {
      await using first = open()
      await using second = open()
      const ears = collectNotifications()
      await first.listen('pooled', ears.onNotify)
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => (i % 2 ? first : second).query(sql`select ${i}::int as i`)),
      )
      expect(answers.flat()).toEqual(Array.from({ length: 40 }, (_, i) => ({ i })))
      const limit = await first.tx((tx) => tx.query(sql`select current_setting('statement_timeout') as limit`), {
        timeoutMs: 90_000,
      })
      expect(limit).toEqual([{ limit: '90s' }])
      await second.query(sql`select pg_notify('pooled', 'heard')`)
      expect(await ears.until(1)).toEqual(['heard'])
      await first.session(async (session) => {
        await session.query(sql`set application_name = 'kept'`)
        expect(await session.query(sql`select current_setting('application_name') as name`)).toEqual([{ name: 'kept' }])
      })
    })

    it('a lease stays with a process that lives and whose pool has no connection of its own', async () => {
      await using holder = open()
      await using other = open()
      await holder.holdLock({ key: 92, isShared: true })
      const led = await runIfLeased(holder, 'pooled', async () => {
        // Others use the few connections of the pooler meanwhile, which then have their names.
        await Promise.all(Array.from({ length: 6 }, () => other.query(sql`select pg_sleep(0.05)`)))
        return runIfLeased(other, 'pooled', async () => 'taken')
      })
      expect(led).toEqual({ result: undefined })
    })

    it('a listening connection to the pooler is refused, also where the pooler ignores its settings', async () => {
      await using ignoring = await startPgbouncer(opened.url!, IGNORED)
      await using db = openPostgres({ url: ignoring.url, onError: () => undefined })
      await expect(db.holdLock({ key: 93, isShared: true })).rejects.toBeInstanceOf(PoolerRefused)
    })

    it('without the direct address a connection to the pooler is refused by its settings', async () => {
      await using db = openPostgres({ url: pooler.url, onError: () => undefined })
      await expect(db.query(sql`select 1`)).rejects.toThrow('unsupported startup parameter')
    })
  })
})
