import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { requireFirstUse } from './first-use.ts'

const ISSUER = 'https://id.company.test'
const assertion = { id: 'jti-1', expiresAt: new Date('2026-02-03T12:00:01Z') }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const use = (at: string, id = 'jti-1') =>
  database.db.tx((tx) => requireFirstUse(tx, ISSUER, { ...assertion, id }, new Date(at)))

it('AU-22 an assertion is accepted once, also by a process whose clock is half a minute behind', async () => {
  await use('2026-02-03T12:00:00Z')
  // Another process, later, that removes what it takes to have expired.
  await use('2026-02-03T12:00:30Z', 'jti-2')
  await expect(use('2026-02-03T11:59:50Z')).rejects.toMatchObject({ code: 'invalid_grant' })
})
