import { setImmediate as nextRound } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { collectNotifications, listenUntilTestEnds } from '#test/listen.ts'
import { openTestLoop } from '#test/work/loop.ts'
import type { Db } from '../db/db.ts'
import { sql } from '../db/sql.ts'
import { testClock } from '../time/clock.ts'
import { type Loop, runLoops } from './loop.ts'

let opened: TestDatabase
let db: Db
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const clock = testClock()
const START = new Date('2026-01-01T00:00:00.000Z')
const later = (ms: number) => new Date(START.getTime() + ms)
const FAR = later(10 * 365 * 24 * 60 * 60_000)

const faults: [string, unknown][] = []
const faulty = collectNotifications()
const run = async (...loops: Loop[]) => {
  const onError = (loop: string, error: unknown) => {
    faults.push([loop, error])
    faulty.onNotify(loop)
  }
  const running = await runLoops(loops, { db, clock, onError })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}
const notify = (channel: string) => db.query(sql`select pg_notify(${channel}, '')`)
/** Time passes for timers and clock alike. */
const pass = async (ms: number) => {
  clock.advance(ms)
  vi.advanceTimersByTime(ms)
  await nextRound()
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  clock.set(START)
  faults.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a loop', () => {
  it('has its first turn at once, and the next when it asked for it', async () => {
    const { loop, turn, turns } = openTestLoop({ name: 'timed' })
    await run(loop)
    const first = await turn(1)
    expect(first.now).toEqual(START)
    first.finish(later(60_000))
    await nextRound()
    await pass(59_999)
    expect(turns).toHaveLength(1)
    await pass(1)
    expect(turns).toHaveLength(2)
    expect(turns[1]!.now).toEqual(later(60_000))
    turns[1]!.finish(FAR)
  })

  it('OP-03 takes its first turn after that of the loop before it, or half a second later', async () => {
    const [first, second, third] = ['one', 'two', 'three'].map((name) => openTestLoop({ name }))
    await run(first!.loop, second!.loop, third!.loop)
    const turn = await first!.turn(1)
    await nextRound()
    expect(second!.turns).toHaveLength(0)
    turn.finish(FAR)
    const slow = await second!.turn(1)
    await pass(499)
    expect(third!.turns).toHaveLength(0)
    await pass(1)
    const last = await third!.turn(1)
    slow.finish(FAR)
    last.finish(FAR)
  })

  it('that took long is not delayed by that', async () => {
    const { loop, turn, turns } = openTestLoop({ name: 'slow' })
    await run(loop)
    const first = await turn(1)
    clock.advance(45_000)
    first.finish(later(60_000))
    await nextRound()
    await pass(15_000)
    expect(turns).toHaveLength(2)
    clock.advance(90_000)
    turns[1]!.finish(later(120_000))
    await nextRound()
    await pass(0)
    expect(turns).toHaveLength(3)
    turns[2]!.finish(FAR)
  })

  it('is called at least every hour, however far it looks ahead', async () => {
    const { loop, turn, turns } = openTestLoop({ name: 'patient' })
    await run(loop)
    ;(await turn(1)).finish(FAR)
    await nextRound()
    await pass(60 * 60_000)
    expect(turns).toHaveLength(2)
    turns[1]!.finish(FAR)
  })

  it('that fails is reported and called again soon, and other loops are not affected', async () => {
    const failing = openTestLoop({ name: 'failing' })
    const fine = openTestLoop({ name: 'fine' })
    await run(failing.loop, fine.loop)
    const fault = new Error('not today')
    ;(await failing.turn(1)).fail(fault)
    ;(await fine.turn(1)).finish(later(1_000))
    await faulty.until(1)
    expect(faults).toEqual([['failing', fault]])
    await nextRound()
    await pass(1_000)
    ;(await fine.turn(2)).finish(FAR)
    await pass(3_999)
    expect(failing.turns).toHaveLength(1)
    await pass(1)
    ;(await failing.turn(2)).finish(FAR)
    expect(faults).toHaveLength(1)
  })

  it('is woken by a notification', async () => {
    const { loop, turn } = openTestLoop({ name: 'woken', wakeOn: 'wake' })
    await run(loop)
    for (const count of [1, 2, 3]) {
      const next = await turn(count)
      next.finish(FAR)
      await nextRound()
      await notify('wake')
    }
    ;(await turn(4)).finish(FAR)
  })

  it('does not miss what wakes it during a turn, and takes one turn for all of it', async () => {
    const { loop, turn, turns } = openTestLoop({ name: 'busy', wakeOn: 'busy' })
    await run(loop)
    const ears = await listenUntilTestEnds(db, 'busy')
    const first = await turn(1)
    for (const count of [1, 2, 3]) {
      await notify('busy')
      await ears.until(count)
    }
    expect(turns).toHaveLength(1)
    first.finish(FAR)
    ;(await turn(2)).finish(FAR)
    await nextRound()
    expect(turns).toHaveLength(2)
    await notify('busy')
    ;(await turn(3)).finish(FAR)
  })

  it('that fails while it is woken is called again at once', async () => {
    const { loop, turn } = openTestLoop({ name: 'both', wakeOn: 'both' })
    await run(loop)
    const ears = await listenUntilTestEnds(db, 'both')
    const first = await turn(1)
    await notify('both')
    await ears.until(1)
    first.fail(new Error('no'))
    ;(await turn(2)).finish(FAR)
  })
})

describe('stopping', () => {
  it('tells the running turn, waits for it, and there is no other', async () => {
    const { loop, turn, turns } = openTestLoop({ name: 'stopped', wakeOn: 'stop' })
    const running = await run(loop)
    const ears = await listenUntilTestEnds(db, 'stop')
    const first = await turn(1)
    expect(first.signal.aborted).toBe(false)
    await notify('stop')
    await ears.until(1)
    const happened: string[] = []
    const stopped = running[Symbol.asyncDispose]().then(() => happened.push('stopped'))
    expect(first.signal.aborted).toBe(true)
    await notify('stop')
    await ears.until(2)
    happened.push('still running')
    first.finish(START)
    await stopped
    expect(happened).toEqual(['still running', 'stopped'])
    await notify('stop')
    await ears.until(3)
    await pass(60 * 60_000)
    expect(turns).toHaveLength(1)
  })

  it('between turns is at once', async () => {
    const { loop, turn, turns } = openTestLoop({ name: 'idle' })
    const running = await run(loop)
    ;(await turn(1)).finish(later(1_000))
    await nextRound()
    await running[Symbol.asyncDispose]()
    await pass(60_000)
    expect(turns).toHaveLength(1)
  })
})
