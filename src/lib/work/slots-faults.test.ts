import { expect, it, onTestFinished } from 'vitest'
import { openTestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { type SlotsProcess, startSlots } from '#test/work/slots-processes.ts'
import { countEffects, countGrants, createJobTables, effectsOf, openGate, TABLE_JOBS } from '#test/work/table-jobs.ts'

async function openJobs(count: number) {
  const stack = new AsyncDisposableStack()
  onTestFinished(() => stack.disposeAsync())
  const { db, url } = stack.use(await openTestDatabase())
  await createJobTables(db, count)
  const start = async (options: Record<string, string> = {}): Promise<SlotsProcess> =>
    stack.use(await startSlots(TABLE_JOBS, url!, options))
  return { db, start }
}
const idsOf = (events: readonly { id?: string }[]) =>
  events.map(({ id }) => id ?? '').sort((one, other) => one.localeCompare(other))

needs('postgres')('slots in several processes', () => {
  it('jobs of a process that was killed are run by another when their leases end, each with one effect', async () => {
    const { db, start } = await openJobs(6)
    const first = await start({ slots: '4' })
    const begun = await first.seen('begun', 4)
    await first.kill()
    const second = await start({ slots: '4', leaseSeconds: '60' })
    await openGate(db)
    await second.seen('done', 6)
    expect(idsOf(begun).slice(0, 4)).toEqual(['job 001', 'job 002', 'job 003', 'job 004'])
    expect(await effectsOf(db)).toEqual([{ effects: 1, jobs: 6 }])
  })

  it('a process that was paused past its leases aborts its jobs, and their fences keep them from a second effect', async () => {
    const { db, start } = await openJobs(3)
    const paused = await start({ slots: '3', isObstinate: 'yes' })
    await paused.seen('begun', 3)
    paused.signal('SIGSTOP')
    const other = await start({ slots: '3', leaseSeconds: '60' })
    await other.seen('begun', 3)
    await openGate(db)
    await other.seen('done', 3)
    paused.signal('SIGCONT')
    const aborted = await paused.seen('aborted', 3)
    expect(idsOf(await paused.seen('fenced', 3))).toEqual(['job 001', 'job 002', 'job 003'])
    expect(aborted.map(({ message }) => message?.split(':')[0])).toEqual(['LeaseLost', 'LeaseLost', 'LeaseLost'])
    expect(await effectsOf(db)).toEqual([{ effects: 1, jobs: 3 }])
  })

  it('processes whose clocks are twenty minutes apart never run one job at the same time', async () => {
    const { db, start } = await openJobs(8)
    const options = { slots: '4', leaseSeconds: '60' }
    const ahead = await start({ ...options, skewMinutes: '10' })
    const behind = await start({ ...options, skewMinutes: '-10' })
    const [early] = await behind.seen('started')
    const [late] = await ahead.seen('started')
    expect(Date.parse(late!.now!) - Date.parse(early!.now!)).toBeGreaterThan(15 * 60_000)
    await Promise.all([ahead.seen('begun', 4), behind.seen('begun', 4)])
    const idle = await start({ ...options, skewMinutes: '10' })
    await idle.seen('claimed', 15)
    await openGate(db)
    await until(async () => (await countEffects(db)) === 8)
    expect(await effectsOf(db)).toEqual([{ effects: 1, jobs: 8 }])
    expect(await countGrants(db)).toBe(8)
  })

  it('a stop lets running jobs end, claims none, and leaves the rest to others', async () => {
    const { db, start } = await openJobs(6)
    const first = await start({ slots: '4', leaseSeconds: '60', drainSeconds: '3600' })
    await first.seen('begun', 4)
    first.signal('SIGTERM')
    await openGate(db)
    expect(await first.ended()).toBe(0)
    expect(first.events.filter(({ event }) => event === 'begun')).toHaveLength(4)
    expect(await countEffects(db)).toBe(4)
    const second = await start({ leaseSeconds: '60' })
    await second.seen('done', 2)
    expect(await effectsOf(db)).toEqual([{ effects: 1, jobs: 6 }])
    expect(await countGrants(db)).toBe(6)
  })

  it('a stop ends by itself when jobs neither end nor heed that they were aborted, and others run them', async () => {
    const { db, start } = await openJobs(2)
    const first = await start({ drainSeconds: '0.1', isObstinate: 'yes' })
    await first.seen('begun', 2)
    first.signal('SIGTERM')
    expect(await first.ended()).toBe(0)
    const aborted = await first.seen('aborted', 2)
    expect(aborted.map(({ message }) => message)).toEqual(Array(2).fill('Error: the process is stopping'))
    await openGate(db)
    const second = await start({ leaseSeconds: '60' })
    await second.seen('done', 2)
    expect(await effectsOf(db)).toEqual([{ effects: 1, jobs: 2 }])
  })

  it('of many jobs none is lost and none has two effects, however often processes are killed and paused', async () => {
    const { db, start } = await openJobs(120)
    await openGate(db)
    const running = await Promise.all([start(), start({ isObstinate: 'yes' }), start({ skewMinutes: '10' })])
    for (const goal of [20, 40, 60, 80, 100]) {
      await until(async () => (await countEffects(db)) >= goal)
      const [victim, paused] = running
      paused.signal('SIGSTOP')
      await victim.kill()
      running.splice(0, 1)
      running.push(await start({ isObstinate: 'yes' }))
      paused.signal('SIGCONT')
    }
    await until(async () => (await countEffects(db)) === 120)
    expect(await effectsOf(db)).toEqual([{ effects: 1, jobs: 120 }])
  })
})
