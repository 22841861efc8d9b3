import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { needs } from '#test/stores.ts'
import { runJobs } from '#test/work/run-jobs.ts'
import { createPostgresEngine } from '../engine/postgres/engine.ts'
import { findDatabase } from '../model/store.ts'
import { finishCreating, withDatabase } from './finish.ts'
import { finishJobs, type OnJobError, secureJobs } from './jobs.ts'

let test: TestDatabase
let area: TestArea
beforeAll(async () => {
  test = await openTestDatabase()
  area = startTestArea(test.db, test.url)
})
afterAll(async () => {
  await area?.[Symbol.asyncDispose]()
  await test?.[Symbol.asyncDispose]()
})

const errors: string[] = []
const onError: OnJobError = (error, { name }) => void errors.push(`${name}: ${(error as Error).message}`)
beforeEach(() => {
  errors.length = 0
})
const stateOf = async (name: string) => (await findDatabase(test.db, 'org_1', name))?.state

describe('finishing databases', () => {
  it('a database that cannot be finished is reported and tried again a minute later, after all others', async () => {
    const attempts: string[] = []
    const broken = {
      drop: async () => {},
      create: async ({ physical_name }: { physical_name: string }) => {
        attempts.push(physical_name)
        throw new Error('no space left')
      },
    }
    const kind = finishJobs(
      { db: test.db, servers: { engineOf: () => broken }, pools: { forget: async () => {} } },
      onError,
    )
    const first = await area.leave('first')
    const next = await runJobs(kind)
    expect(errors).toEqual(['first: no space left'])
    expect(next).toBeGreaterThan(50)
    expect(next).toBeLessThanOrEqual(60)
    expect(await runJobs(kind)).toBeGreaterThan(50)
    const second = await area.leave('second')
    await test.db.query(sql`update databases.databases set retry_at = clock_timestamp() where id = ${first.id}`)
    const { jobs } = await kind.claim(1, { running: [] })
    expect(jobs.map(({ id }) => id)).toEqual([second.id])
    await kind.release(jobs)
    expect(attempts).toEqual([first.physical_name])
    await area.finish()
    expect([await stateOf('first'), await stateOf('second')]).toEqual(['ready', 'ready'])
  })

  it('claims no job that this process still works at, and releases what it gives back', async () => {
    const row = await area.leave('claimed')
    const kind = area.databases.slots[0]!
    const { jobs } = await kind.claim(2, { running: [] })
    expect(jobs.map(({ id }) => id)).toEqual([row.id])
    expect(await kind.claim(2, { running: [] })).toEqual({ jobs: [], nextInSeconds: 5 })
    expect(await kind.renew(jobs)).toEqual(jobs)
    await kind.release(jobs)
    expect(await kind.renew(jobs)).toEqual([])
    expect((await kind.claim(2, { running: jobs })).jobs).toEqual([])
    await area.finish()
    expect(await stateOf('claimed')).toBe('ready')
  })
})

describe('securing databases', () => {
  it('looks at each ready database once an hour, also after a failure', async () => {
    const row = await area.make('limits')
    await test.db.query(sql`update databases.databases set secured_at = clock_timestamp() where id <> ${row.id}`)
    const secured: string[] = []
    const secure = async ({ name }: { name: string }) => {
      secured.push(name)
      throw new Error('not allowed')
    }
    const kind = secureJobs({ db: test.db, secure }, onError)
    expect(await runJobs(kind)).toBeGreaterThan(3500)
    expect(await runJobs(kind)).toBeGreaterThan(3500)
    expect(secured).toEqual(['limits'])
    expect(errors).toEqual(['limits: not allowed'])
    const hourAgo = sql`update databases.databases set secured_at = clock_timestamp() - interval '61 min' where id = ${row.id}`
    await test.db.query(hourAgo)
    await runJobs(kind)
    expect(secured).toEqual(['limits', 'limits'])
  })

  it('does not report a database that is dropped meanwhile, and is no obstacle to dropping it', async () => {
    const row = await area.make('going')
    await test.db.query(sql`update databases.databases set secured_at = clock_timestamp() where id <> ${row.id}`)
    const secure = async () => {
      await test.db.query(sql`update databases.databases set state = 'dropping' where id = ${row.id}`)
      await area.finish()
      throw new Error('the role does not exist')
    }
    await runJobs(secureJobs({ db: test.db, secure }, onError))
    expect(await stateOf('going')).toBeUndefined()
    expect(errors).toEqual([])
  })
})

needs('postgres')('a process that was paused while it created a database', () => {
  it('leaves nothing behind when others finished and dropped the database meanwhile', async () => {
    const row = await area.leave('paused')
    const real = createPostgresEngine({ db: test.db, databaseUrl: test.url!, publicHost: undefined, warn: () => {} })
    const create: typeof real.create = async (managed) => {
      await test.db.query(sql`delete from svc.leases where name = ${`database:${row.id}`}`)
      await test.db.query(sql`update databases.databases set state = 'dropping' where id = ${row.id}`)
      await area.finish()
      await real.create(managed)
    }
    const servers = { engineOf: () => ({ ...real, create }) }
    const deps = { db: test.db, servers, pools: { forget: async () => {} } }
    const creating = withDatabase(deps, row, (guard) => finishCreating(deps, row, guard))
    await expect(creating).rejects.toBeInstanceOf(ServiceError)
    const left = await test.db.query(sql`
      select datname as name from pg_database where datname = ${row.physical_name}
      union all select rolname from pg_roles where rolname in (${row.owner_role}, ${row.reader_role})`)
    expect(left).toEqual([])
  })
})
