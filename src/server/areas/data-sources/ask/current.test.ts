import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { readConnection } from '#contract/databases.ts'
import { script, sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const TABLE = `
  create table articles as
  select n as id, 'article ' || n as title, 'secret ' || n as secret,
         (select array_agg(sin(n * i * 0.37 + i)) from generate_series(1, 384) i)::vector(384) as embedding
  from generate_series(1, 5) n`

let system: System
let admin: Client
let viewer: Client
const ask = () => viewer.call(querySource, { id: 'db_library', query: 'anything' })
const expose = (over: object) =>
  admin.call(exposeSource, { id: 'db_library', min_role: 'viewer', exposed: true, ...over })
const configure = (content_columns: string, table = 'articles') =>
  admin.call(configureSource, {
    id: 'db_library',
    connection_config: { embedding_configs: [entry({ content_columns, table })] },
    filter_schema: {},
  })
/** As another process would, without a word to this one. */
const change = (set: string) => system.db.query(script(`update data_sources.sources set ${set}`))

beforeAll(async () => {
  system = await startSystem()
  const { token, org_id } = await system.member('admin')
  admin = system.client(token)
  viewer = system.client((await system.member('viewer', org_id)).token)
  await makeSource(admin, 'library', TABLE)
  await configure('id, title, secret')
})
afterAll(() => system?.[Symbol.asyncDispose]())

describe('a source that was asked a moment ago', () => {
  beforeEach(async () => {
    await change(`enabled = true`)
    await expose({})
    expect((await ask()).results[0]!.metadata).toHaveProperty('secret')
  })

  it.each([
    ['is hidden', 'exposed = false', 'NOT_FOUND'],
    ['is switched off', 'enabled = false', 'NOT_FOUND'],
    ['is for others now', `min_role = 'admin'`, 'FORBIDDEN'],
  ])(
    'DS-17 %s: the very next question is refused, and the one after it is answered when that is undone',
    async (_, set, code) => {
      await change(set)
      expect(await codeOf(ask())).toBe(code)
      expect(await codeOf(ask())).toBe(code)
      await change(`exposed = true, enabled = true, min_role = 'viewer'`)
      expect((await ask()).count).toBe(5)
    },
  )

  it('DS-11 offers a column less: the very next answer is without it', async () => {
    await configure('id, title')
    expect((await ask()).results[0]!.metadata).not.toHaveProperty('secret')
    await configure('id, title, secret')
    expect((await ask()).results[0]!.metadata).toHaveProperty('secret')
  })

  it('DS-19 leaves one record for each question, also where it changed in between, and counts what was answered', async () => {
    const records = () =>
      system.db.query<{ status: number | null; counted: boolean }>(sql`
        select status, counted from activity.records order by id desc`)
    const before = (await records()).length
    await change('exposed = false')
    await ask().catch(() => undefined)
    await change('exposed = true')
    await ask()
    await until(async () => (await records()).every(({ status }) => status !== null))
    expect((await records()).slice(0, -before)).toEqual([
      { status: 200, counted: true },
      { status: 404, counted: false },
    ])
  })
})

describe('a provider outside', () => {
  it('DS-17 DS-18 hears nothing of a question that is refused', async () => {
    await using fake = await startFakeEmbeddings()
    await using other = await startSystem({
      clock: testClock(new Date()),
      env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]), SVC_QUESTIONS_PER_MINUTE: '2' },
    })
    const { token } = await other.member('admin')
    const client = other.client(token)
    await makeAskable(client, 'cars')
    const askFor = (query: string) => codeOf(client.call(querySource, { id: 'db_cars', query }))
    expect(await askFor('first')).toBe('no error')
    await other.db.query(script('update data_sources.sources set exposed = false'))
    expect(await askFor('hidden')).toBe('NOT_FOUND')
    await other.db.query(script('update data_sources.sources set exposed = true'))
    expect(await askFor('second')).toBe('no error')
    expect([await askFor('too much'), await askFor('too much again')]).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
    expect(fake.asked.flatMap(({ body }) => body.input)).toEqual(['first', 'second'])
  })
})

needs('postgres')('a source that is hidden while it is asked', () => {
  it('DS-17 is gone at once, however long its search takes', async () => {
    const { connection_string } = await admin.call(readConnection, { name: 'library' })
    await runIn(
      connection_string,
      `create function held() returns boolean language sql as 'select pg_advisory_lock_shared(17) is not null';
       create view slow as select * from articles where (select held())`,
    )
    await configure('id, title', 'slow')
    await expose({})
    expect(await codeOf(ask())).toBe('no error')
    const holder = new pg.Client({ connectionString: connection_string })
    await holder.connect()
    await holder.query('select pg_advisory_unlock_all(), pg_advisory_lock(17)')
    await change('exposed = false')
    expect(await codeOf(ask())).toBe('NOT_FOUND')
    await holder.end()
    await configure('id, title, secret')
  })

  it('DS-17 answers none of the questions that come after that', async () => {
    await expose({})
    await ask()
    for (let round = 0; round < 3; round++) {
      const early = Array.from({ length: 4 }, () => codeOf(ask()))
      await expose({ exposed: false })
      const late = await Promise.all(Array.from({ length: 4 }, () => codeOf(ask())))
      expect(new Set(late)).toEqual(new Set(['NOT_FOUND']))
      expect(['no error', 'NOT_FOUND']).toEqual(expect.arrayContaining(await Promise.all(early)))
      await expose({})
      expect(await codeOf(ask())).toBe('no error')
    }
  })
})
