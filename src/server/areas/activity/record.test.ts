import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { findSecrets } from '#test/canary.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { begin } from '#test/sources/activity-records.ts'
import type { Question } from './record.ts'
import { createRecorder } from './record.ts'
import type { NewRecord, Outcome } from './store.ts'

const clock = testClock(new Date('2026-03-01T12:00:00Z'))
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())
afterEach(() => void vi.useRealTimers())

const QUESTION = 'canary-question: when is the café open?'
const FILTER = 'canary-filter-value'

const asked = (over: Partial<Question> = {}): Question => ({
  org_id: newId('org'),
  target: 'db_handbook',
  source: 'cli',
  principal: { kind: 'api_token', id: 'tok_1', user_id: 'usr_1' },
  question: QUESTION,
  filters: { category: FILTER },
  ...over,
})

function open(db: Querier = database.db) {
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const activity = createRecorder({ db, clock, dataKey: 'ab'.repeat(32), onError })
  return { errors, ...activity, begin: (question: Question) => begin(activity, db, question) }
}

async function recordOf(id: string) {
  const rows = await database.db.query<NewRecord & Outcome>(sql`select * from activity.records where id = ${id}`)
  return rows[0]!
}

/** The database, away while `away` is set. */
function faulty() {
  const state = { away: false }
  const query: Querier['query'] = async (statement) => {
    if (state.away) throw new DatabaseUnavailable('away', { cause: undefined })
    return database.db.query(statement)
  }
  return { state, db: { query } }
}

describe('DS-19 a question leaves one record', () => {
  it('which is stored before the answer, with an unknown outcome until then', async () => {
    const { id } = await open().begin(asked({ org_id: 'org_x' }))
    expect(await recordOf(id)).toEqual({
      id: expect.stringMatching(/^act_/),
      org_id: 'org_x',
      type: 'data_source',
      source: 'cli',
      target: 'db_handbook',
      principal_kind: 'api_token',
      principal_id: 'tok_1',
      user_id: 'usr_1',
      asked_at: clock.now(),
      counted: false,
      key_id: expect.stringMatching(/^[0-9a-f]{8}$/),
      digest: expect.any(Buffer),
      filters_digest: expect.any(Buffer),
      question_bytes: Buffer.byteLength(QUESTION),
      status: null,
      duration_ms: null,
      answer_bytes: null,
    })
  })

  it('and is refused while the database is unavailable', async () => {
    const { state, db } = faulty()
    state.away = true
    await expect(open(db).begin(asked())).rejects.toBeInstanceOf(DatabaseUnavailable)
  })

  it('with equal digests for equal questions of one organization, but not of two', async () => {
    const activity = open()
    const digestOf = async (org_id: string) => (await recordOf((await activity.begin(asked({ org_id }))).id)).digest
    expect(await digestOf('org_1')).toEqual(await digestOf('org_1'))
    expect(await digestOf('org_1')).not.toEqual(await digestOf('org_2'))
  })

  it('neither the question nor a filter’s value is in any table', async () => {
    const activity = open()
    const { id } = await activity.begin(asked())
    activity.complete(id, { status: 200, duration_ms: 5, answer_bytes: 3, counted: true })
    await activity.flush()
    expect(await findSecrets(database.db, [], [QUESTION, FILTER])).toEqual([])
    expect(activity.errors).toEqual([])
  })
})

describe('DS-19 how questions ended', () => {
  it('is written by itself within a second, many in one statement', async () => {
    let updates = 0
    const written = Promise.withResolvers<void>()
    const query: Querier['query'] = async (statement) => {
      const isUpdate = statement.text.includes('update')
      if (isUpdate) updates++
      return database.db.query<never>(statement).finally(() => isUpdate && written.resolve())
    }
    const activity = open({ query })
    const ids = [await activity.begin(asked()), await activity.begin(asked())].map(({ id }) => id)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (const [n, id] of ids.entries()) {
      activity.complete(id, { status: 200 + n, duration_ms: 12.6, answer_bytes: 100 + n, counted: true })
    }
    vi.advanceTimersByTime(1000)
    vi.useRealTimers()
    await written.promise
    expect(updates).toBe(1)
    const ended = { duration_ms: 13, answer_bytes: 101, status: 201 }
    expect(await recordOf(ids[1]!)).toMatchObject(ended)
  })

  it('is written when the process ends', async () => {
    const { id } = await (async () => {
      await using activity = open()
      const begun = await activity.begin(asked())
      activity.complete(begun.id, { status: 429, duration_ms: 1, answer_bytes: 0, counted: true })
      return begun
    })()
    expect(await recordOf(id)).toMatchObject({ status: 429, duration_ms: 1, answer_bytes: 0, counted: true })
  })

  it('is kept while the database is away, and written after', async () => {
    const { state, db } = faulty()
    const activity = open(db)
    const { id } = await activity.begin(asked())
    state.away = true
    activity.complete(id, { status: 200, duration_ms: 1, answer_bytes: 2, counted: true })
    await activity.flush()
    expect(activity.errors).toHaveLength(1)
    state.away = false
    await activity.flush()
    expect(await recordOf(id)).toMatchObject({ status: 200 })
  })

  it('is given up when it cannot be stored, and holds up no other', async () => {
    const activity = open()
    const [one, two] = [await activity.begin(asked()), await activity.begin(asked())]
    activity.complete(one.id, { status: 200, duration_ms: 1e12, answer_bytes: 0, counted: true })
    await activity.flush()
    expect(activity.errors).toHaveLength(1)
    activity.complete(two.id, { status: 200, duration_ms: 1, answer_bytes: 0, counted: true })
    await activity.flush()
    expect(await recordOf(one.id)).toMatchObject({ status: null })
    expect(await recordOf(two.id)).toMatchObject({ status: 200 })
  })
})
