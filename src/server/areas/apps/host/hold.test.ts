import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { holdHere } from './hold.ts'

needs('postgres')('OP-07 an app that goes on without its server keeps other machines from hosting it', () => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await openTestDatabase()
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  const errors: unknown[] = []
  /** A server of one machine. `waits` counts how often it found the app held. */
  const machine = (id: string, leavesApps: boolean) => {
    const held: string[] = []
    const seen = { waits: 0, held }
    const deps = {
      db: opened.db,
      delay: async () => {
        seen.waits++
        await new Promise((resolve) => setImmediate(resolve))
      },
      onError: (error: unknown) => void errors.push(error),
    }
    const keeper = { id, held: (appId: string) => void held.push(appId), leavesApps: () => leavesApps }
    return { seen, hold: (appId: string) => holdHere(deps, appId, keeper, new AbortController().signal) }
  }
  const runOut = (appId: string) =>
    opened.db.query(sql`update svc.leases set expires_at = clock_timestamp() where name = ${`app-kept:${appId}`}`)

  it('until the time is over for which it may go on', async () => {
    const [here, there] = [machine('keeper-here', true), machine('keeper-there', true)]
    await (await here.hold('app_left'))[Symbol.asyncDispose]()
    const waiting = there.hold('app_left')
    await until(() => there.seen.waits > 0)
    expect(there.seen.held).toEqual([])
    await runOut('app_left')
    await using _hold = await waiting
    expect(there.seen.held).toEqual(['app_left'])
  })

  it('but not the next server of the same machine', async () => {
    await (await machine('keeper-same', true).hold('app_same'))[Symbol.asyncDispose]()
    const next = machine('keeper-same', true)
    await using _hold = await next.hold('app_same')
    expect(next.seen).toEqual({ waits: 0, held: ['app_same'] })
  })

  it('and no longer once it was stopped with its server', async () => {
    await (await machine('keeper-first', false).hold('app_stopped'))[Symbol.asyncDispose]()
    const next = machine('keeper-second', false)
    await using _hold = await next.hold('app_stopped')
    expect(next.seen.waits).toBe(0)
  })

  it('of many that ask at once, one holds it', async () => {
    const stopping = new AbortController()
    const winners: string[] = []
    const asking = Array.from({ length: 10 }, async (_, index) => {
      const keeper = { id: `keeper-${index}`, held: () => void winners.push(`${index}`), leavesApps: () => true }
      const deps = { db: opened.db, delay: async () => stopping.abort(), onError: () => {} }
      await using _hold = await holdHere(deps, 'app_raced', keeper, stopping.signal)
    })
    await Promise.all(asking)
    expect(winners).toHaveLength(1)
    expect(errors).toEqual([])
  })
})
