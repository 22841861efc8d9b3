import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createPostgresEngine } from './engine.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test?.[Symbol.asyncDispose]())

it.each([
  ['postgres://u:p@db.internal/svc', undefined, { host: 'db.internal', port: 5432, search: '' }],
  [
    'postgres://u:p@db.internal:6000/svc?sslmode=require',
    undefined,
    { host: 'db.internal', port: 6000, search: '?sslmode=require' },
  ],
  ['postgres://u:p@db.internal:6000/svc', 'db.example.com', { host: 'db.example.com', port: 5432, search: '' }],
  ['postgres://u:p@db.internal:6000/svc', 'db.example.com:6432', { host: 'db.example.com', port: 6432, search: '' }],
])('DS-02 %s, shown as %s', async (databaseUrl, publicHost, expected) => {
  const engine = createPostgresEngine({ db: test.db, databaseUrl, publicHost, warn: console.warn })
  expect(await engine.publicAddress()).toEqual(expected)
  expect((await engine.ownAddress()).host).toBe('db.internal')
})
