import { afterAll, beforeAll, expect, it } from 'vitest'
import { backupState } from '#contract/backups.ts'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { type System, startSystem } from '#test/system.ts'
import { backupFault } from './check.ts'
import { backupLoop } from './loop.ts'

const SCHEDULE = { cron: '15 3 * * *', timezone: 'UTC' }
const clock = testClock(new Date('2026-03-10T12:00:00Z'))
const signal = new AbortController().signal
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

/** Workers on the same database, each with the same answer to a backup. */
function startWorkers(count: number, backUp: () => Promise<{ place: string; bytes: number; is_verified: boolean }>) {
  const reports: { goodAt: Date | null; isOverdue: boolean }[] = []
  const deps = { db: database.db, clock, log: createLog('silent'), schedule: SCHEDULE, backUp }
  const loops = Array.from({ length: count }, () =>
    backupLoop({ ...deps, report: (state) => void reports.push(state) }),
  )
  return { reports, tick: () => Promise.all(loops.map((loop) => loop.tick(clock.now(), signal))) }
}

const good = { place: '/backups/one.age', bytes: 10, is_verified: true }

it('OP-05 one of several workers takes each slot, and looks again within five minutes', async () => {
  let count = 0
  const workers = startWorkers(3, async () => {
    count += 1
    return good
  })
  const next = await workers.tick()
  expect(count).toBe(1)
  expect(next[0]).toEqual(new Date('2026-03-10T12:05:00Z'))
  await workers.tick()
  expect(count).toBe(1)
  expect(workers.reports.at(-1)).toEqual({ goodAt: new Date('2026-03-10T12:00:00Z'), isOverdue: false })
  clock.set(new Date('2026-03-11T03:15:00Z'))
  await workers.tick()
  expect(count).toBe(2)
})

it('OP-05 a backup that fails is recorded with its reason, and two nights without one are said', async () => {
  const workers = startWorkers(1, () => Promise.reject(new Error('the disk is full')))
  clock.set(new Date('2026-03-12T03:15:00Z'))
  await workers.tick()
  expect(workers.reports.at(-1)?.isOverdue).toBe(false)
  expect(await backupFault(database.db, SCHEDULE, clock.now())).toBeUndefined()
  clock.set(new Date('2026-03-13T04:20:00Z'))
  await workers.tick()
  expect(workers.reports.at(-1)?.isOverdue).toBe(true)
  expect(await backupFault(database.db, SCHEDULE, clock.now())).toBe(
    'A backup was due at 2026-03-13T03:15:00.000Z, and the last good one is of 2026-03-11T03:15:00.000Z. ' +
      'The last attempt failed: the disk is full',
  )
  const rows = await database.db.query<{ state: string; count: number }>(sql`
    select state, count(*) from backups.runs group by state order by state`)
  expect(rows).toEqual([
    { state: 'failed', count: 2 },
    { state: 'good', count: 2 },
  ])
})

it('OP-05 admins see that a backup is missing, and nothing of it where none is scheduled', async () => {
  const none = await startSystem()
  const some = await startSystem({
    clock,
    env: { SVC_BACKUP_TO: '/nonexistent', SVC_BACKUP_PUBLIC_KEYS: `age1${'q'.repeat(58)}` },
  })
  try {
    const of = async (system: System) => system.client((await system.member('admin')).token).call(backupState, {})
    expect(await of(none)).toEqual({ scheduled: false, good_at: null, overdue_since: null })
    expect((await of(some)).scheduled).toBe(true)
  } finally {
    await some[Symbol.asyncDispose]()
    await none[Symbol.asyncDispose]()
  }
})
