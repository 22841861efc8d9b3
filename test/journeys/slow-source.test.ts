import { afterAll, beforeAll, expect, it } from 'vitest'
import { askHttp } from '#test/askers.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/fake-embeddings.ts'
import { ARTICLES, makeAskable } from '#test/sources.ts'
import { type System, startSystem } from '#test/system.ts'

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
