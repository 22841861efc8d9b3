import { expect, it } from 'vitest'
import { testClock } from '#lib/clock.ts'
import { sql } from '#lib/db/sql.ts'
import { begin } from '#test/activity-records.ts'
import { openTestDatabase } from '#test/database.ts'
import { createRecorder } from './record.ts'
import { retentionLoop } from './retention.ts'

const NOW = new Date('2026-06-30T12:00:00Z')
const DAY_MS = 24 * 60 * 60_000

it('DS-19 records are kept for 90 days, then deleted, however many there are', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const clock = testClock(new Date(NOW.getTime() - 90 * DAY_MS))
  const activity = createRecorder({ db, clock, dataKey: 'ab'.repeat(32), onError: console.error })
  const asked = { org_id: 'org_a', target: 'db_a', source: 'api', question: 'q', filters: {} } as const
  const kept = await begin(activity, db, { ...asked, principal: { kind: 'run', id: 'exe_1', user_id: null } })
  await db.query(sql`
    insert into activity.records (id, org_id, type, source, target, principal_kind, principal_id, asked_at, counted,
                                  key_id, digest, question_bytes)
    select 'act_old' || n, org_id, type, source, target, principal_kind, principal_id,
           asked_at - interval '1 millisecond', counted, key_id, digest, question_bytes
    from activity.records, generate_series(1, 5001) n`)
  const next = await retentionLoop({ db }).tick(NOW, new AbortController().signal)
  expect(await db.query(sql`select id from activity.records`)).toEqual([kept])
  expect(next.getTime() - NOW.getTime()).toBe(60 * 60_000)
})
