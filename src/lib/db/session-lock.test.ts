import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { openPostgres } from './postgres.ts'
import { LockTaken } from './session-lock.ts'
import { sql } from './sql.ts'

const ALONE = { key: 91, isShared: false }
const SHARED = { key: 91, isShared: true }

needs('postgres')('OP-02 a lock that a process holds on its listening connection', () => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await openTestDatabase()
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  const open = (onError: (error: unknown) => void = () => undefined, lockWaitMs = 200) =>
    openPostgres({ url: opened.url!, onError, heartbeatMs: 50, lockWaitMs })

  it('is refused to a second process, which learns from where and since when the first is connected', async () => {
    await using first = open()
    await using second = open()
    await first.holdLock(ALONE)
    const error = await second.holdLock(ALONE).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(LockTaken)
    expect((error as LockTaken).holder).toMatch(
      /^connected from 127\.0\.0\.1 since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    )
    await expect(second.holdLock(SHARED)).rejects.toBeInstanceOf(LockTaken)
  })

  it('is shared by any number of processes, and then nobody holds it alone', async () => {
    await using first = open()
    await using second = open()
    await using third = open()
    await first.holdLock(SHARED)
    await second.holdLock(SHARED)
    await expect(third.holdLock(ALONE)).rejects.toBeInstanceOf(LockTaken)
  })

  it('is free for the next process when its holder closes, also while that process already waits', async () => {
    const first = open()
    await using second = open(undefined, 30_000)
    await first.holdLock(ALONE)
    const waiting = second.holdLock(ALONE)
    await first[Symbol.asyncDispose]()
    expect((await waiting).check()).toBeUndefined()
  })

  it('that another process took while the connection was lost fails the check until that process is gone', async () => {
    const errors: unknown[] = []
    await using first = open((error) => errors.push(error))
    const second = open(undefined, 30_000)
    const held = await first.holdLock(ALONE)
    const taken = second.holdLock(ALONE)
    await opened.db.query(sql`
      select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and objid = ${ALONE.key} and granted and datname = current_database()`)
    await taken
    const isLost = () => {
      try {
        held.check()
        return false
      } catch (error) {
        return error instanceof LockTaken
      }
    }
    await until(isLost)
    expect(errors.filter((error) => error instanceof LockTaken)).toHaveLength(1)
    await second[Symbol.asyncDispose]()
    await until(() => !isLost())
  })
})
