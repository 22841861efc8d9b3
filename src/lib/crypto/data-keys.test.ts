import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import type { Db } from '../db/db.ts'
import { openPostgres } from '../db/postgres.ts'
import { sql } from '../db/sql.ts'
import { checkDataKeys, DataKeyRefused, type DataKeys, retireFormerKeys } from './data-keys.ts'
import { createSealer } from './seal.ts'
import type { SealedColumn } from './sealed-columns.ts'

const [ONE, TWO, THREE] = ['a1'.repeat(32), 'b2'.repeat(32), 'c3'.repeat(32)]
const [ONE_ID, TWO_ID] = ['4198fa59', '7ca551d8']

const ANSWERS: SealedColumn<{ key: string }> = {
  kind: 'answers',
  table: ['svc', 'idempotency'],
  column: 'body',
  primaryKey: ['caller', 'operation', 'key'],
  context: ({ key }) => key,
}
const check = (db: Db, ...keys: DataKeys) => checkDataKeys(db, keys, async () => [ANSWERS])

async function keep(db: Db, key: string, dataKey: string): Promise<void> {
  await db.query(sql`
    insert into svc.idempotency (caller, operation, key, request_digest, status, body, created_at)
    values ('c', 'o', ${key}, '', 200, ${createSealer([dataKey]).seal('x', key)}, now())`)
}

describe('AU-08 the data key at the start', () => {
  let database: TestDatabase
  let db: Db
  beforeEach(async () => {
    database = await openTestDatabase()
    db = database.db
  })
  afterEach(() => database?.[Symbol.asyncDispose]())

  it('must be the key of the first start, and another is refused with instructions', async () => {
    await check(db, ONE)
    await check(db, ONE)
    await expect(check(db, TWO)).rejects.toThrow(
      new DataKeyRefused(
        `Stored secrets are sealed under key ${ONE_ID}, which is not configured. ` +
          `SVC_DATA_KEY has the id ${TWO_ID}, SVC_DATA_KEYS_FORMER is empty. ` +
          'Restore the former value of SVC_DATA_KEY, or add it to SVC_DATA_KEYS_FORMER. ' +
          'If SVC_DATA_KEY is not set, the keys are in secrets.json in the data folder: restore that file.',
      ),
    )
    await check(db, ONE)
  })

  it('may change if the former one stays configured, and each key that was ever current is required', async () => {
    await check(db, ONE)
    await check(db, TWO, ONE)
    await check(db, THREE, TWO, ONE)
    await expect(check(db, THREE, ONE)).rejects.toThrow(`sealed under key ${TWO_ID}, which is not configured`)
    await expect(check(db, THREE)).rejects.toThrow(/under keys \w+, \w+, which are not configured/)
    expect((await retireFormerKeys(db, [THREE, TWO, ONE])).sort()).toEqual([TWO_ID, ONE_ID].sort())
    await check(db, THREE)
    await expect(check(db, ONE)).rejects.toBeInstanceOf(DataKeyRefused)
  })

  it('must open values of an earlier release, which recorded no keys', async () => {
    await keep(db, 'k', ONE)
    await expect(check(db, TWO)).rejects.toThrow(`sealed under key ${ONE_ID}`)
    await check(db, TWO, ONE)
    await expect(check(db, TWO)).rejects.toThrow(`sealed under key ${ONE_ID}`)
  })

  it('is refused when the check value was tampered with', async () => {
    await check(db, ONE)
    const other = createSealer([ONE]).seal('something else', `data-key-check:${ONE_ID}`)
    await db.query(sql`update svc.data_keys set check_value = ${other}`)
    await expect(check(db, ONE)).rejects.toThrow(`The check value of data key ${ONE_ID} in svc.data_keys was changed`)
  })

  needs('postgres')('of processes that start at once', () => {
    it('of processes that start at once, one succeeds if their keys differ, and all if they are the same', async () => {
      await using stack = new AsyncDisposableStack()
      const others = [ONE, TWO, THREE, ONE, TWO, THREE].map((key) => ({
        key,
        db: stack.use(openPostgres({ url: database.url!, onError: console.error })),
      }))
      const outcomes = await Promise.allSettled(others.map((other) => check(other.db, other.key)))
      const passed = others.filter((_, n) => outcomes[n]!.status === 'fulfilled').map(({ key }) => key)
      expect(passed).toEqual([passed[0], passed[0]])
    })
  })
})
