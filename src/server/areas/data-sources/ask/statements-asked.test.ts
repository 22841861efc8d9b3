import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import type { Db } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { type System, startSystem } from '#test/system.ts'

let database: TestDatabase
let fake: FakeEmbeddings
let system: System
let client: Client
let sent: Sql[] = []

beforeAll(async () => {
  database = await openTestDatabase()
  fake = await startFakeEmbeddings()
  const query: Db['query'] = (statement) => {
    sent.push(statement)
    return database.db.query(statement)
  }
  system = await startSystem({
    on: { db: { ...database.db, query }, databaseUrl: database.url },
    env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) },
  })
  client = system.client((await system.member('owner')).token)
  await makeAskable(client, 'library')
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  sent = []
})

const ask = (id: string) => codeOf(client.call(querySource, { id, query: 'anything' }))
/** The statements that look at sources; the one that writes the record is among them. */
const onSources = () => sent.filter(({ text }) => text.includes('data_sources.'))

describe('what a question asks of the platform’s database', () => {
  it('DS-19 one statement for a source that was asked before, three for one that was not', async () => {
    expect(await ask('db_library')).toBe('no error')
    expect(onSources()).toHaveLength(3)
    sent = []
    expect(await ask('db_library')).toBe('no error')
    expect(onSources()).toHaveLength(1)
  })

  it.each(['db_xylophone', 'ds_xylophone', 'xylophone %'])('DS-19 nothing of the unknown id %s', async (id) => {
    expect(await ask(id)).toBe('NOT_FOUND')
    expect(onSources()).toHaveLength(2)
    expect(JSON.stringify(sent)).not.toContain('xylophone')
  })
})
