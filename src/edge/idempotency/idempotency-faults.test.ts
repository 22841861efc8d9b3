import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

/** `away`: each statement of the key's table fails. `lose`: the answer to the next commit of an organization is lost. */
const fault = { isAway: false, lose: 'nothing' as 'nothing' | 'transaction' | 'answer' }
let database: TestDatabase
let system: System
let token: string

beforeAll(async () => {
  database = await openTestDatabase()
  const { db } = database
  const away = () => new DatabaseUnavailable('the connection was lost', { cause: undefined })
  const query: Db['query'] = async (statement) => {
    if (
      fault.isAway &&
      !statement.text.trimStart().startsWith('insert') &&
      statement.text.includes('svc.idempotency')
    ) {
      throw away()
    }
    return db.query(statement)
  }
  const tx: Db['tx'] = async (work, options) => {
    let isLost = false
    const result = await db.tx(async (open) => {
      const done = await work(open)
      const [lostOrgs] = await open.query<{ n: number }>(
        sql`select count(*)::int as n from auth.orgs where name = 'Lost'`,
      )
      isLost = fault.lose !== 'nothing' && lostOrgs!.n > 0
      if (isLost && fault.lose === 'transaction') throw away()
      return done
    }, options)
    if (isLost) throw away()
    return result
  }
  system = await startSystem({ on: { db: { ...db, query, tx }, databaseUrl: database.url } })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  Object.assign(fault, { isAway: false, lose: 'nothing' })
  token = (await system.member('owner')).token
})

async function create(key: string, name: string) {
  const response = await fetch(`${system.url}/api/v1/orgs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ name }),
  })
  const { code } = (await response.json()) as { code?: string }
  return { status: response.status, code }
}

async function count(name: string): Promise<number> {
  return (await database.db.query(sql`select id from auth.orgs where name = ${name}`)).length
}

describe('an Idempotency-Key and a database that goes away', () => {
  it('a request whose transaction was lost can be repeated at once', async () => {
    fault.lose = 'transaction'
    expect(await create('rolled back', 'Lost')).toMatchObject({ status: 503 })
    fault.lose = 'nothing'
    expect(await create('rolled back', 'Lost')).toMatchObject({ status: 201 })
    expect(await count('Lost')).toBe(1)
    await database.db.query(sql`update auth.orgs set name = 'Found' where name = 'Lost'`)
  })

  it('a request that was committed and whose answer was lost is never run again', async () => {
    fault.lose = 'answer'
    expect(await create('committed', 'Lost')).toMatchObject({ status: 503 })
    fault.lose = 'nothing'
    expect(await create('committed', 'Lost')).toEqual({ status: 409, code: 'OUTCOME_UNKNOWN' })
    expect(await count('Lost')).toBe(1)
    await database.db.query(sql`update auth.orgs set name = 'Found' where name = 'Lost'`)
  })

  it('the key of a failed request is freed when the database is back', async () => {
    Object.assign(fault, { lose: 'transaction', isAway: true })
    expect(await create('later', 'Lost')).toMatchObject({ status: 503 })
    Object.assign(fault, { lose: 'nothing', isAway: false })
    await until(async () => (await create('later', 'Lost')).status === 201)
    expect(await count('Lost')).toBe(1)
    await database.db.query(sql`update auth.orgs set name = 'Found' where name = 'Lost'`)
  })

  it('OP-02 a key of a process that died before it changed anything runs again; after a change its outcome is unknown at once', async () => {
    await create('first', 'Model')
    const plant = (key: string, holder: string, changed: boolean) =>
      database.db.query(sql`
        insert into svc.idempotency (caller, operation, key, request_digest, holder, changed, created_at)
        select caller, operation, ${key}, request_digest, ${holder}, ${changed}, now()
        from svc.idempotency where key = 'first'`)
    await plant('of the dead', 'svc 00/1', false)
    await plant('of the dead, changed', 'svc 00/2', true)
    await plant('of the living', `${database.db.instance}/3`, false)
    expect(await create('of the dead', 'Model')).toMatchObject({ status: 201 })
    expect(await create('of the dead, changed', 'Model')).toEqual({ status: 409, code: 'OUTCOME_UNKNOWN' })
    expect(await create('of the living', 'Model')).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
    expect(await count('Model')).toBe(2)
  })

  needs('postgres')('at once', () => {
    it('one of twenty repetitions takes over the key of a process that died', async () => {
      await create('raced model', 'Taken')
      await database.db.query(sql`
        insert into svc.idempotency (caller, operation, key, request_digest, holder, created_at)
        select caller, operation, 'raced', request_digest, 'svc 00/4', now()
        from svc.idempotency where key = 'raced model'`)
      const answers = await Promise.all(Array.from({ length: 20 }, () => create('raced', 'Taken')))
      expect(answers.some(({ status }) => status === 201)).toBe(true)
      for (const { status, code } of answers) if (status !== 201) expect(code).toBe('IDEMPOTENCY_IN_PROGRESS')
      expect(await count('Taken')).toBe(2)
    })
  })

  it('an answer that could not be stored is stored when the database is back', async () => {
    fault.isAway = true
    expect(await create('stored later', 'Kept')).toMatchObject({ status: 503 })
    fault.isAway = false
    await until(async () => (await create('stored later', 'Kept')).status === 201)
    expect(await count('Kept')).toBe(1)
  })
})
