import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { askHttp, openAgent } from '#test/agents/askers.ts'
import { connectTo } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { ARTICLES, makeAskable } from '#test/sources/sources.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const SLOW = `${ARTICLES}; create view slow as select a.* from articles a, pg_sleep(60)`

let fake: FakeEmbeddings
let system: System
let token: string

beforeAll(async () => {
  fake = await startFakeEmbeddings()
  system = await startSystem({
    env: {
      SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]),
      SVC_QUESTIONS_PER_MINUTE: '100000',
      SVC_QUESTIONS_PER_DAY: '100000',
    },
  })
  token = (await system.member('admin')).token
  const client = system.client(token)
  await makeAskable(client, 'docs')
  await makeAskable(client, 'slow', { sql: SLOW, tables: ['slow'] })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

const ask = async (id: string) => (await askHttp(system.url, token, { query: 'cars' }, id)).status

it('DS-21 a source with all its connections at their time limit holds up no question to another source', async () => {
  const order: string[] = []
  const note = (name: string) => (status: number) => void order.push(`${name} ${status}`)
  // One more than a source has connections: the last finds none free.
  const slow = [1, 2, 3, 4].map(() => ask('db_slow').then(note('slow')))
  while (!order.some((line) => line.startsWith('slow'))) await ask('db_docs').then(note('docs'))
  await Promise.all(slow)
  // A question that had to wait for the slow ones would be answered after the first of them ends.
  expect(order[0]).toBe('docs 200')
  expect(order.filter((line) => line !== 'docs 200')).toEqual(Array(4).fill('slow 503'))
})

needs('postgres')('DS-21 a source that an owner’s lock makes wait', () => {
  it('holds its own three connections while all others are answered, and is asked again once it is free', async () => {
    const source = await makeAskable(system.client(token), 'held')
    const stranger = (await system.member('admin')).token
    await makeAskable(system.client(stranger), 'docs')
    const { pathname } = new URL(source.connection_string)
    const waiting = () =>
      system.db.query(sql`
        select pid from pg_stat_activity where datname = ${pathname.slice(1)} and wait_event_type = 'Lock'`)
    await using owner = await connectTo(source.connection_string)
    await owner.query('begin; lock table articles in access exclusive mode')
    const held = Array.from({ length: 30 }, () => ask('db_held'))
    await until(async () => (await waiting()).length === 3)

    expect([await ask('db_docs'), (await askHttp(system.url, stranger, { query: 'cars' })).status]).toEqual([200, 200])
    await using agent = await openAgent(system.url, token)
    const asked = { name: 'data_source_query', arguments: { id: 'db_docs', query: 'cars' } }
    expect((await agent.callTool(asked)).isError).toBeFalsy()
    expect((await waiting()).length).toBeLessThanOrEqual(3)

    await owner.query('rollback')
    // 503 where the machine was so busy that the questions waited for their ten seconds.
    expect((await Promise.all(held)).filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(await ask('db_held')).toBe(200)
  })
})
