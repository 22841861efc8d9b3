import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { testClock } from '#lib/time/clock.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { fakeConfiguration, makeAskable } from '#test/sources/sources.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

/** Enough rows for the planner to prefer an index. */
const TABLE = `
  create table articles as
  select n as id, 'article ' || n as title, 'a' as category,
         array[sin(n), sin(2 * n), sin(3 * n), sin(4 * n), cos(n), cos(2 * n), cos(3 * n), cos(4 * n)]::vector(8) as embedding
  from generate_series(1, 4000) n;
  analyze articles`
const MAKE_INDEX = `create index near on articles using hnsw (embedding vector_cosine_ops) with (m = 4, ef_construction = 16)`

const clock = testClock(new Date())
let system: System
let client: Client
let connection: string
let fake: FakeEmbeddings

beforeAll(async () => {
  fake = await startFakeEmbeddings()
  const env = { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]), SVC_QUESTIONS_PER_MINUTE: '100000' }
  system = await startSystem({ clock, env })
  client = system.client((await system.member('owner')).token)
  connection = (await makeAskable(client, 'library', { sql: TABLE })).connection_string
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

const ask = () => client.call(querySource, { id: 'db_library', query: 'anything', top_k: 5 })

/** The server counts what a connection did at a later statement of it, so one that is no question follows. */
async function scans(): Promise<number> {
  await client.call(getSource, { id: 'db_library' })
  const statistics = `select idx_scan::int as count from pg_stat_user_indexes where indexrelname = 'near'`
  const [row] = await runIn(connection, statistics)
  return row!.count as number
}
const indexAnswered = () => until(async () => (await scans()) > 0)

describe('an index made after the configuration was saved', () => {
  beforeEach(async () => {
    await runIn(connection, 'drop index if exists near')
    clock.advance(60_000)
    expect((await ask()).count).toBe(5)
    await runIn(connection, MAKE_INDEX)
  })

  it('DS-15 answers questions a minute later', async () => {
    clock.advance(59_999)
    await ask()
    clock.advance(1)
    expect((await ask()).count).toBe(5)
    await indexAnswered()
  })

  it('DS-15 answers the next question after the table was found changed', async () => {
    await runIn(connection, 'alter table articles rename column title to heading')
    expect(await codeOf(ask())).toBe('SOURCE_CHANGED')
    await runIn(connection, 'alter table articles rename column heading to title')
    expect((await ask()).count).toBe(5)
    await indexAnswered()
  })

  it('DS-15 answers at once when the configuration is saved again', async () => {
    await client.call(configureSource, fakeConfiguration('db_library', 'articles'))
    expect((await ask()).count).toBe(5)
    await indexAnswered()
  })
})
