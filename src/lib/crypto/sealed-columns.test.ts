import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { sql } from '../db/sql.ts'
import { createSealer, keyId } from './seal.ts'
import { countByKey, resealColumn, type SealedColumn } from './sealed-columns.ts'

const [ONE, TWO, LOST] = ['a1'.repeat(32), 'b2'.repeat(32), 'c3'.repeat(32)]
type Key = { caller: string; operation: string; key: string }
const ANSWERS: SealedColumn<Key> = {
  kind: 'answers',
  table: ['svc', 'idempotency'],
  column: 'body',
  primaryKey: ['caller', 'operation', 'key'],
  context: ({ caller, operation, key }) => `${caller}/${operation}/${key}`,
}

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(() => database.db.query(sql`delete from svc.idempotency`))
afterAll(() => database?.[Symbol.asyncDispose]())

async function keep(dataKey: string, from: number, count: number): Promise<void> {
  const sealer = createSealer([dataKey])
  const keys = Array.from({ length: count }, (_, n) => `key ${from + n}`)
  const bodies = keys.map((key) => sealer.seal(`plain of ${key}`, `c/o/${key}`))
  await database.db.query(sql`
    insert into svc.idempotency (caller, operation, key, request_digest, status, body, created_at)
    select 'c', 'o', k, '', 200, b, now() from unnest(${keys}::text[], ${bodies}::text[]) as t(k, b)`)
}

async function opened(dataKey: string): Promise<string[]> {
  const rows = await database.db.query<Key & { body: string }>(sql`
    select caller, operation, key, body from svc.idempotency where body is not null`)
  const sealer = createSealer([dataKey])
  return rows.map((row) => sealer.open(row.body, ANSWERS.context(row)))
}

it('AU-08 resealing moves every value of a column to the current key, over many pages, and a second run moves none', async () => {
  await keep(ONE, 0, 450)
  await keep(TWO, 450, 3)
  await database.db.query(sql`
    insert into svc.idempotency (caller, operation, key, request_digest, created_at) values ('c', 'o', 'none', '', now())`)
  const sealer = createSealer([TWO, ONE])
  expect(await resealColumn(database.db, ANSWERS, sealer)).toEqual({ moved: 450, unopenable: new Map() })
  expect(await countByKey(database.db, ANSWERS)).toEqual(new Map([[keyId(TWO), 453]]))
  const plain = await opened(TWO)
  expect(new Set(plain)).toEqual(new Set(Array.from({ length: 453 }, (_, n) => `plain of key ${n}`)))
  expect(await resealColumn(database.db, ANSWERS, sealer)).toEqual({ moved: 0, unopenable: new Map() })
})

it('AU-08 values that no key opens stay as they are and are counted by the key they name', async () => {
  await keep(LOST, 0, 2)
  await keep(ONE, 2, 1)
  await database.db.query(
    sql`update svc.idempotency set body = overlay(body placing 'AAAAAAAA' from 30) where key = 'key 2'`,
  )
  await keep(ONE, 3, 5)
  const before = await database.db.query(sql`select key, body from svc.idempotency order by key limit 3`)
  expect(await resealColumn(database.db, ANSWERS, createSealer([TWO, ONE]))).toEqual({
    moved: 5,
    unopenable: new Map([
      [keyId(LOST), 2],
      [keyId(ONE), 1],
    ]),
  })
  expect(await database.db.query(sql`select key, body from svc.idempotency order by key limit 3`)).toEqual(before)
})

it('AU-08 a value that changes during resealing keeps its change', async () => {
  await keep(ONE, 0, 3)
  const fresh = createSealer([TWO]).seal('new', 'c/o/key 1')
  const db = {
    ...database.db,
    query: async <Row>(statement: Parameters<typeof database.db.query>[0]): Promise<Row[]> => {
      if (/^\s*update/.test(statement.text))
        await database.db.query(sql`update svc.idempotency set body = ${fresh} where key = 'key 1'`)
      return database.db.query<Row>(statement)
    },
  }
  expect(await resealColumn(db, ANSWERS, createSealer([TWO, ONE]))).toEqual({ moved: 2, unopenable: new Map() })
  expect((await opened(TWO)).sort()).toEqual(['new', 'plain of key 0', 'plain of key 2'])
})
