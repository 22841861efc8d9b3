import { setImmediate as nextRound } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { listenUntilTestEnds } from '#test/listen.ts'
import { until } from '#test/until.ts'
import { openTestKind } from '#test/work/job-kind.ts'
import type { Db } from '../db/db.ts'
import { sql } from '../db/sql.ts'
import { testClock } from '../time/clock.ts'
import type { JobKind } from './job-kind.ts'
import { runSlots } from './slots.ts'

let opened: TestDatabase
let db: Db
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const clock = testClock()
const uptime = () => clock.now().getTime()
const faults: [string, string][] = []
const start = async (...kinds: JobKind[]) => {
  const onError = (kind: string, error: unknown) => void faults.push([kind, (error as Error).message])
  const running = await runSlots(kinds, { db, uptime, onError })
  onTestFinished(() => void running[Symbol.asyncDispose]())
  return running
}
const notify = (channel: string) => db.query(sql`select pg_notify(${channel}, '')`)
/** Time passes for timers and for the lease ends alike, in small steps as on a running machine. */
const pass = async (seconds: number) => {
  for (let step = 0; step < seconds * 10; step++) {
    clock.advance(100)
    vi.advanceTimersByTime(100)
    await nextRound()
  }
}
/** The process is stopped for a time: no timer fires, and then all of them do. */
const freeze = (seconds: number) => clock.advance(seconds * 1000)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  faults.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

describe('claiming', () => {
  it('takes at most as many jobs as there are free slots, and one more for each slot that becomes free', async () => {
    const test = openTestKind({ slots: 2 })
    test.queue.push('a', 'b', 'c', 'd')
    await start(test.kind)
    const first = await test.run(1)
    await test.run(2)
    expect(test.queue).toEqual(['c', 'd'])
    first.finish()
    expect((await test.run(3)).job.id).toBe('c')
    expect(test.claims.map(({ limit }) => limit)).toEqual([2, 1])
    expect(test.claims[1]!.running).toEqual(['b'])
  })

  it('waits for more free slots where the kind says so, at most for its delay or until half of them are free', async () => {
    const test = openTestKind({ slots: 4, claimDelayMs: 200 })
    test.queue.push('a', 'b', 'c', 'd', 'e', 'f', 'g')
    await start(test.kind)
    const jobs = [await test.run(1), await test.run(2), await test.run(3), await test.run(4)]
    jobs[0]!.finish()
    await nextRound()
    expect(test.claims).toHaveLength(1)
    await pass(0.2)
    expect(await test.claim(2)).toMatchObject({ limit: 1 })
    await test.run(5)
    jobs[1]!.finish()
    jobs[2]!.finish()
    expect(await test.claim(3)).toMatchObject({ limit: 2 })
  })

  it('happens on a notification, at once if the delay since the last claim is over', async () => {
    const test = openTestKind({ slots: 4, claimDelayMs: 200, wakeOn: 'delayed' })
    await start(test.kind)
    const ears = await listenUntilTestEnds(db, 'delayed')
    await test.claim(1)
    test.queue.push('a', 'b')
    await notify('delayed')
    await ears.until(1)
    await nextRound()
    expect(test.claims).toHaveLength(1)
    await pass(0.2)
    await test.claim(2)
    await pass(0.2)
    test.queue.push('c')
    await notify('delayed')
    expect((await test.run(3)).job.id).toBe('c')
  })

  it('is left out for a free slot when the last one said that nothing is waiting', async () => {
    const test = openTestKind({ slots: 2, isMoreWaiting: false, wakeOn: 'nothing-waits' })
    test.queue.push('a')
    await start(test.kind)
    ;(await test.run(1)).finish()
    await nextRound()
    expect(test.claims).toHaveLength(1)
    test.queue.push('b')
    await notify('nothing-waits')
    expect((await test.run(2)).job.id).toBe('b')
  })

  it('happens on a notification, also for two kinds that share a channel', async () => {
    const [one, two] = [openTestKind({ name: 'one', wakeOn: 'jobs' }), openTestKind({ name: 'two', wakeOn: 'jobs' })]
    await start(one.kind, two.kind)
    await Promise.all([one.claim(1), two.claim(1)])
    await nextRound()
    one.queue.push('a')
    two.queue.push('b')
    await notify('jobs')
    expect([(await one.run(1)).job.id, (await two.run(1)).job.id]).toEqual(['a', 'b'])
  })

  it('is left out for a notification that the kind has dealt with itself', async () => {
    const heard: string[] = []
    const onNotify = (payload: string) => heard.push(payload) === 1
    const test = openTestKind({ wakeOn: 'dealt-with', onNotify })
    await start(test.kind)
    await test.claim(1)
    await nextRound()
    for (const id of ['a', 'b']) await db.query(sql`select pg_notify('dealt-with', ${id})`)
    await test.claim(2)
    expect(heard).toEqual(['a', 'b'])
    expect(test.claims).toHaveLength(2)
  })

  it('is repeated when a notification came during a claim, which may have looked too early', async () => {
    const test = openTestKind({ wakeOn: 'during', manual: true })
    await start(test.kind)
    const ears = await listenUntilTestEnds(db, 'during')
    const first = await test.claim(1)
    for (const count of [1, 2]) {
      await notify('during')
      await ears.until(count)
    }
    expect(test.claims).toHaveLength(1)
    first.answer([])
    const second = await test.claim(2)
    second.answer([])
    await nextRound()
    expect(test.claims).toHaveLength(2)
  })

  it('is repeated when a slot became free during a claim', async () => {
    const test = openTestKind({ slots: 2, wakeOn: 'freed', manual: true })
    await start(test.kind)
    ;(await test.claim(1)).answer(['a'])
    const job = await test.run(1)
    await nextRound()
    await notify('freed')
    const second = await test.claim(2)
    job.finish()
    await nextRound()
    second.answer(['b'])
    expect(await test.claim(3)).toMatchObject({ limit: 1, running: ['b'] })
  })

  it('happens when the next job is due, and on the slow poll otherwise', async () => {
    const test = openTestKind({ manual: true, pollSeconds: 60 })
    await start(test.kind)
    ;(await test.claim(1)).answer([], 5)
    await nextRound()
    await pass(4.9)
    expect(test.claims).toHaveLength(1)
    await pass(0.1)
    ;(await test.claim(2)).answer([], 3600)
    await nextRound()
    await pass(59.9)
    expect(test.claims).toHaveLength(2)
    await pass(0.1)
    expect(test.claims).toHaveLength(3)
    test.claims[2]!.answer([])
    await nextRound()
    await pass(60)
    expect(test.claims).toHaveLength(4)
  })

  it('waits a moment when a job is said to be due and cannot be claimed', async () => {
    const test = openTestKind({ manual: true })
    await start(test.kind)
    ;(await test.claim(1)).answer([], -5)
    await nextRound()
    clock.advance(99)
    vi.advanceTimersByTime(99)
    expect(test.claims).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(test.claims).toHaveLength(2)
  })

  it('that fails is reported and waits longer each time, whatever is notified meanwhile', async () => {
    const test = openTestKind({ manual: true, wakeOn: 'broken' })
    await start(test.kind)
    const ears = await listenUntilTestEnds(db, 'broken')
    ;(await test.claim(1)).fail(new Error('no table'))
    await until(() => faults.length === 1)
    await notify('broken')
    await ears.until(1)
    await pass(0.9)
    expect(test.claims).toHaveLength(1)
    await pass(0.1)
    ;(await test.claim(2)).fail(new Error('no table'))
    await nextRound()
    await pass(1.9)
    expect(test.claims).toHaveLength(2)
    await pass(0.1)
    ;(await test.claim(3)).answer(['a'])
    await test.run(1)
    expect(faults).toEqual([
      ['test', 'no table'],
      ['test', 'no table'],
    ])
    await notify('broken')
    await test.claim(4)
  })

  it('that returns more than was asked for is reported; every job is run and later ones are claimed', async () => {
    const test = openTestKind({ slots: 1, manual: true })
    await start(test.kind)
    ;(await test.claim(1)).answer(['a', 'b'])
    ;(await test.run(2)).finish()
    await until(() => faults.length === 1)
    expect(faults).toEqual([['test', 'claimed 2 jobs for 1 slots']])
    await pass(5)
    expect(test.claims).toHaveLength(1)
    test.runs[0]!.finish()
    expect(await test.claim(2)).toMatchObject({ limit: 1, running: [] })
  })
})

describe('a running job', () => {
  it('that fails is reported and frees its slot; its neighbours go on', async () => {
    const test = openTestKind({ slots: 2 })
    test.queue.push('a', 'b', 'c')
    await start(test.kind)
    await test.run(2)
    test.runs[0]!.fail(new Error('broken pipe'))
    expect((await test.run(3)).job.id).toBe('c')
    expect(faults).toEqual([['test', 'broken pipe']])
    expect(test.runs[1]!.held.signal.aborted).toBe(false)
  })

  it('keeps its lease for as long as it runs, and is not renewed afterwards', async () => {
    const test = openTestKind({ leaseSeconds: 30 })
    test.queue.push('a', 'b')
    await start(test.kind)
    await test.run(2)
    await pass(300)
    expect(test.renewals.length).toBeGreaterThanOrEqual(29)
    expect(test.runs.map(({ held }) => [held.signal.aborted, held.leaseMsLeft() > 0])).toEqual([
      [false, true],
      [false, true],
    ])
    test.runs[0]!.finish()
    await nextRound()
    await pass(20)
    expect(test.renewals.at(-1)).toEqual(['b'])
    test.runs[1]!.finish()
    await nextRound()
    const { length } = test.renewals
    await pass(300)
    expect(test.renewals).toHaveLength(length)
  })

  it('is aborted when its lease was taken over; the others are not', async () => {
    const test = openTestKind({ leaseSeconds: 30 })
    test.queue.push('a', 'b')
    await start(test.kind)
    await test.run(2)
    test.lost.add('a')
    await pass(10)
    const [a, b] = test.runs.map(({ held }) => held)
    expect(a!.signal.reason).toMatchObject({ name: 'LeaseLost', message: 'the lease of a was taken over' })
    expect([a!.leaseMsLeft(), b!.signal.aborted]).toEqual([0, false])
  })

  it('that was claimed again after its lease was lost is another grant: the former run stays aborted', async () => {
    const test = openTestKind({ slots: 2, manual: true, wakeOn: 'regrant' })
    await start(test.kind)
    ;(await test.claim(1)).answer(['a'])
    const former = await test.run(1)
    test.lost.add('a')
    await pass(10)
    test.lost.clear()
    await notify('regrant')
    const again = await test.claim(2)
    expect(again.running).toEqual(['a'])
    again.answer(['a'])
    const latter = await test.run(2)
    await pass(60)
    expect([former.held.signal.aborted, latter.held.signal.aborted]).toEqual([true, false])
    expect(latter.job.fence).toBeGreaterThan(former.job.fence)
  })

  it('is aborted when no renewal succeeds before the end of its lease, and not before', async () => {
    const test = openTestKind({ leaseSeconds: 30, renew: () => Promise.reject(new Error('unreachable')) })
    test.queue.push('a')
    await start(test.kind)
    const { held } = await test.run(1)
    await pass(29.9)
    expect(held.signal.aborted).toBe(false)
    await pass(0.1)
    expect(held.signal.reason).toMatchObject({ name: 'LeaseLost' })
    expect(faults.length).toBeGreaterThan(3)
    expect(faults.length).toBeLessThan(12)
  })

  it('survives renewals that fail for a while, and one that is never answered', async () => {
    let attempts = 0
    const renew: JobKind['renew'] = async (jobs) => {
      attempts += 1
      if (attempts === 1) return new Promise(() => {})
      if (attempts === 2) throw new Error('unreachable')
      return jobs
    }
    const test = openTestKind({ leaseSeconds: 30, renew })
    test.queue.push('a')
    await start(test.kind)
    const { held } = await test.run(1)
    await pass(120)
    expect(held.signal.aborted).toBe(false)
    expect(faults.map(([, message]) => message)).toEqual([
      'a renewal of leases was not answered in time; it is repeated, and no job is stopped unless that goes on until its lease ends',
      'unreachable',
    ])
  })

  it('of a process that was paused past its lease learns it at the next look, before any timer has fired', async () => {
    const test = openTestKind({ leaseSeconds: 30 })
    test.queue.push('a')
    await start(test.kind)
    const { held } = await test.run(1)
    freeze(31)
    expect(held.leaseMsLeft()).toBe(0)
    expect(held.signal.aborted).toBe(true)
  })

  it('of a paused process is not revived by a renewal that succeeds late', async () => {
    const answer = Promise.withResolvers<void>()
    const renew: JobKind['renew'] = async (jobs) => {
      await answer.promise
      return jobs
    }
    const test = openTestKind({ leaseSeconds: 30, renew })
    test.queue.push('a')
    await start(test.kind)
    const { held } = await test.run(1)
    await pass(10)
    freeze(40)
    answer.resolve()
    await until(() => held.signal.aborted)
    expect(held.leaseMsLeft()).toBe(0)
  })

  it('is not begun when its claim was answered after the lease had ended', async () => {
    const test = openTestKind({ leaseSeconds: 30, manual: true })
    await start(test.kind)
    const claim = await test.claim(1)
    freeze(31)
    claim.answer(['late'])
    ;(await test.claim(2)).answer(['next'])
    expect((await test.run(1)).job.id).toBe('next')
  })
})

describe('stopping', () => {
  it('claims nothing more, lets running jobs end with their leases renewed, and then resolves', async () => {
    const test = openTestKind({ slots: 1, drainSeconds: 60, leaseSeconds: 30, wakeOn: 'stop' })
    test.queue.push('a', 'b')
    const running = await start(test.kind)
    const job = await test.run(1)
    const stopped = running[Symbol.asyncDispose]()
    await notify('stop')
    await pass(50)
    expect(job.held.signal.aborted).toBe(false)
    expect(test.renewals.length).toBeGreaterThanOrEqual(4)
    job.finish()
    await stopped
    await notify('stop')
    await pass(120)
    expect(test.claims).toHaveLength(1)
    expect(test.queue).toEqual(['b'])
    expect(faults).toEqual([])
  })

  it('without running jobs is at once', async () => {
    const test = openTestKind()
    const running = await start(test.kind)
    await test.claim(1)
    await nextRound()
    await running[Symbol.asyncDispose]()
  })

  it('aborts what runs when the drain time is over, and waits for it to end', async () => {
    const test = openTestKind({ drainSeconds: 10 })
    test.queue.push('a')
    const running = await start(test.kind)
    const job = await test.run(1)
    const happened: string[] = []
    const stopped = running[Symbol.asyncDispose]().then(() => happened.push('stopped'))
    await pass(9.9)
    expect(job.held.signal.aborted).toBe(false)
    await pass(0.1)
    expect(job.held.signal.reason).toMatchObject({ message: 'the process is stopping' })
    happened.push('aborted')
    job.finish()
    await stopped
    expect(happened).toEqual(['aborted', 'stopped'])
  })

  it('resolves five seconds after the drain time, also when a job ignores that it was aborted', async () => {
    const test = openTestKind({ drainSeconds: 10 })
    test.queue.push('a')
    const running = await start(test.kind)
    await test.run(1)
    const happened: string[] = []
    const stopped = running[Symbol.asyncDispose]().then(() => happened.push('stopped'))
    await pass(14.9)
    happened.push('14.9 s')
    await pass(0.1)
    await stopped
    expect(happened).toEqual(['14.9 s', 'stopped'])
    expect(faults).toEqual([['test', 'the stop did not wait longer for these jobs: a']])
    const { length } = test.renewals
    await pass(60)
    expect(test.renewals).toHaveLength(length)
  })

  it('gives back the jobs of a claim that was under way, and runs none of them', async () => {
    const test = openTestKind({ manual: true })
    const running = await start(test.kind)
    const claim = await test.claim(1)
    const stopped = running[Symbol.asyncDispose]()
    claim.answer(['a', 'b'])
    await stopped
    expect(test.released).toEqual(['a', 'b'])
    expect(test.runs).toEqual([])
  })

  it('gives them back even when the claim is answered after the stop was over', async () => {
    const test = openTestKind({ manual: true, drainSeconds: 1 })
    const running = await start(test.kind)
    const claim = await test.claim(1)
    const stopped = running[Symbol.asyncDispose]()
    await pass(6)
    await stopped
    expect(faults).toEqual([['test', 'the stop did not wait longer for a claim']])
    claim.answer(['a'])
    await until(() => test.released.length === 1)
    expect(test.runs).toEqual([])
  })
})
