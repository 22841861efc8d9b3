import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { type System, startSystem } from '#test/system.ts'

let database: TestDatabase
let fake: FakeEmbeddings
let system: System
let client: Client

beforeAll(async () => {
  database = await openTestDatabase()
  fake = await startFakeEmbeddings()
  system = await startSystem({
    on: { db: database.db, databaseUrl: database.url },
    env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) },
  })
  client = system.client((await system.member('owner')).token)
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const store = (name: string, search: Sql) =>
  database.db.query(sql`update data_sources.sources set search = ${search} where database_name = ${name}`)
const ask = (id: string) => codeOf(client.call(querySource, { id, query: 'anything' }))

describe('a search configuration that another release stored', () => {
  it('DS-11 is searched if it only lacks what was added since', async () => {
    await makeAskable(client, 'older')
    await store('older', sql`jsonb_set(search, '{0}', (search -> 0) - 'row_security' - 'lists')`)
    expect(await ask('db_older')).toBe('no error')
  })

  it('DS-11 is refused with SOURCE_CHANGED if it cannot be read, shown with a warning, and can be saved again', async () => {
    await makeAskable(client, 'newer')
    await store('newer', sql`'[{"label": "articles", "tables": []}]'::jsonb`)
    expect(await ask('db_newer')).toBe('SOURCE_CHANGED')
    const shown = await client.call(getSource, { id: 'db_newer' })
    expect(shown.plan).toEqual([])
    expect(shown.warnings[0]).toContain('save it again')
    const { connection_config, filter_schema } = shown
    await client.call(configureSource, { id: 'db_newer', connection_config, filter_schema })
    expect(await ask('db_newer')).toBe('no error')
  })
})
