import { afterEach, beforeEach, expect, it } from 'vitest'
import { toMigration } from '#lib/db/migrate/file.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { allMigrations, prepareSchema } from './schema.ts'

let database: TestDatabase
let logs: string[]
beforeEach(async () => {
  database = await openTestDatabase()
  logs = []
})
afterEach(() => database?.[Symbol.asyncDispose]())

const today = allMigrations()
const log = createLog('info', { write: (line: string) => void logs.push(line) })
const prepare = (mayMigrate: boolean, migrations = today) => prepareSchema(database.db, { mayMigrate }, log, migrations)
const RUNS = toMigration('lib', '9001_more.sql', '-- former release: runs\ncreate table svc.more (n int)')
const STOPS = toMigration(
  'lib',
  '9002_less.sql',
  '-- former release: stops, it empties svc.outbox\nalter table svc.outbox rename to events',
)

it('OP-02 today’s version starts after a newer one migrated, when that says so, and logs it', async () => {
  await migrate(database.db, [...today, RUNS])
  await prepare(true)
  await prepare(false)
  expect(logs).toHaveLength(2)
  expect(logs[0]).toContain('the database was migrated by a newer version on which this one can run')
  expect(logs[0]).toContain('lib/9001_more.sql')
})

it('OP-02 today’s version refuses to start after a newer one migrated to what it cannot use', async () => {
  await migrate(database.db, [...today, RUNS, STOPS])
  const words = 'this version cannot run on the result of:\n  - lib/9002_less.sql: it empties svc.outbox\n'
  await expect(prepare(true)).rejects.toThrow(words)
  await expect(prepare(false)).rejects.toThrow(words)
  await prepare(true, [...today, RUNS, STOPS])
})

it('OP-02 a process that may not migrate changes nothing and names what is missing and the command', async () => {
  await expect(prepare(false, [...today, RUNS])).rejects.toMatchObject({
    name: 'MigrationRefused',
    message:
      'The database lacks lib/9001_more.sql, and SVC_MIGRATE=off prevents this process from migrating. ' +
      'Run "svc-server migrate" of this version with the same DATABASE_URL, then start again.',
  })
  expect(await database.db.query(sql`select to_regclass('svc.more') as more`)).toEqual([{ more: null }])
  await prepare(true, [...today, RUNS])
  await prepare(false, [...today, RUNS])
})
