import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { tableLines } from '#test/rules/schema-lines.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

/** Update with `npx vitest run test/schema.test.ts -u`, and read the difference. */
it('the migrations make the schema that is checked in, the same on both engines', async () => {
  const lines = await tableLines(database.db)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('schema.txt')
})
