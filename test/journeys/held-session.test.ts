import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { askHttp } from '#test/agents/askers.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { stores } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

let fake: FakeEmbeddings
let system: System
let token: string
let connection: string
let psql: pg.Client & AsyncDisposable

beforeAll(async () => {
  fake = await startFakeEmbeddings()
  system = await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
  token = (await system.member('admin')).token
  connection = (await makeAskable(system.client(token), 'docs')).connection_string
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  // Known to the caller's cache, the model's and the pool: from here on only the session can be waited for.
  expect(await ask()).toBe(200)
  psql = await connectTo(connection)
})
afterEach(async () => {
  vi.useRealTimers()
  await psql[Symbol.asyncDispose]()
})

const ask = async () => (await askHttp(system.url, token, { query: 'cars' })).status

/** The question, and whether it was answered by now. */
function askAside() {
  const aside = { status: undefined as number | undefined, done: Promise.resolve() }
  aside.done = ask().then((status) => {
    aside.status = status
  })
  return aside
}

/** Time stands still until it is told to go on; what is on its way through sockets and threads arrives meanwhile. */
const arrived = async () => {
  for (let n = 0; n < 300; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets time pass in steps, and what follows from each step arrive. */
const pass = async (ms: number) => {
  for (let n = 0; n < ms; n += 200) {
    await arrived()
    await vi.advanceTimersByTimeAsync(200)
  }
  await arrived()
}

// On a server each connection has a session of its own: there is nothing to wait for.
if (stores.postgres)
  it('DS-02 a psql left in a transaction delays no question', async () => {
    await psql.query('begin')
    await psql.query('select * from articles')
    expect(await ask()).toBe(200)
  })
else
  describe('a psql left in a transaction, on the embedded engine', () => {
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      await psql.query('begin')
      await psql.query(`insert into articles values (99, 'never kept', 'x', null)`)
      // The answer is here before the server has seen the end of the statement and begins to count its ten seconds.
      await until(() => vi.getTimerCount() > 0)
      for (let n = 0; n < 20; n++) await arrived()
    })

    it('DS-02 is rolled back after ten seconds, and then the question is answered', async () => {
      // The ten seconds begin when the server has seen the end of the last statement, which may be after its answer and,
      // on a busy machine, some seconds of this clock later.
      await pass(4_000)
      const question = askAside()
      await pass(5_400)
      expect(question.status).toBeUndefined()
      // The clock stays within the ten seconds of the question, however long a busy machine takes to roll back.
      await pass(4_400)
      while (question.status === undefined) await arrived()
      expect(question.status).toBe(200)
      expect(await codeOf(psql.query('commit'))).not.toBe('no error')
      vi.useRealTimers()
      await using after = await connectTo(connection)
      expect((await after.query('select count(*)::int as n from articles where id = 99')).rows).toEqual([{ n: 0 }])
    })

    it('DS-02 that goes on working keeps its session, and the question is 503 after ten seconds', async () => {
      const question = askAside()
      let waited = 0
      while (question.status === undefined) {
        await arrived()
        await psql.query('select 1')
        await vi.advanceTimersByTimeAsync(1_000)
        waited++
      }
      expect(question.status).toBe(503)
      // Its ten seconds begin when it gets to the database.
      expect(waited).toBeGreaterThanOrEqual(10)
      expect((await psql.query('select count(*)::int as n from articles where id = 99')).rows).toEqual([{ n: 1 }])
      await psql.query('rollback')
    })
  })
