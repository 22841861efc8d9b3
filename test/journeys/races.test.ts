import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, listSources, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, dropDatabase, readConnection } from '#contract/databases.ts'
import { testClock } from '#lib/time/clock.ts'
import { askHttp } from '#test/agents/askers.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { readerOf, runIn } from '#test/sources/configured-source.ts'
import { ARTICLES, fakeConfiguration, makeAskable } from '#test/sources/sources.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

needs('postgres')('two at once', () => {
  const clock = testClock(new Date())
  let fake: FakeEmbeddings
  let system: System
  let token: string
  let client: Client
  /** On the platform's database, to hold rows with. */
  let holder: pg.Client & AsyncDisposable

  beforeAll(async () => {
    fake = await startFakeEmbeddings()
    system = await startSystem({ clock, env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
    token = (await system.member('admin')).token
    client = system.client(token)
    holder = await connectTo(system.databaseUrl!)
  })
  afterAll(async () => {
    await holder?.[Symbol.asyncDispose]()
    await system?.[Symbol.asyncDispose]()
    await fake?.[Symbol.asyncDispose]()
  })

  /** Resolves when so many statements in the database of that connection wait for a lock. */
  const blocked = (on: pg.Client, count: number) =>
    until(async () => {
      const { rows } = await on.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows[0]!.n === count
    })

  it('DS-05 of two saves the second is refused while the first is at it', async () => {
    const { id, connection_string } = await makeAskable(client, 'saved', {
      sql: `${ARTICLES}; create table other (like articles including all); insert into other select * from articles`,
    })
    await using owner = await connectTo(connection_string)
    await owner.query('begin; lock table articles in access exclusive mode')
    const first = codeOf(client.call(configureSource, fakeConfiguration(id, 'articles')))
    await blocked(owner, 1)
    expect(await codeOf(client.call(configureSource, fakeConfiguration(id, 'other')))).toBe('CONFLICT')
    await owner.query('rollback')
    expect(await first).toBe('no error')
  })

  it('DS-05 a save that slept through its lease changes nothing any more', async () => {
    const source = (await client.call(listSources, {})).items.find(({ name }) => name === 'saved')!
    const { connection_string } = await client.call(readConnection, { name: 'saved' })
    await using owner = await connectTo(connection_string)
    await owner.query('begin; lock table articles in access exclusive mode')
    const first = codeOf(client.call(configureSource, fakeConfiguration(source.id, 'articles')))
    await blocked(owner, 1)
    // As if the first one's process had not come to renew its lease in time.
    await until(async () => {
      await holder.query(`update svc.leases set expires_at = '-infinity'`)
      return (await codeOf(client.call(configureSource, fakeConfiguration(source.id, 'other')))) === 'no error'
    })
    await owner.query('rollback')
    expect(await first).toBe('CONFLICT')
    const answer = await askHttp(system.url, token, { query: 'cars', target: 'other' }, source.source_id)
    expect(await answer.json()).toMatchObject({ count: 2 })
    const gone = await askHttp(system.url, token, { query: 'cars', target: 'articles' }, source.source_id)
    expect(gone.status).toBe(400)
    // The next save revokes the rights that the first one granted to the reader.
    await client.call(configureSource, fakeConfiguration(source.id, 'other'))
    const reader = await readerOf(system, { name: 'saved', connection_string })
    expect(await codeOf(runIn(reader, 'select id from public.articles'))).toBe('42501')
    expect(await codeOf(runIn(reader, 'select id from public.other'))).toBe('no error')
  })

  it('DS-05 DS-21 of many saves at once some win, and rights and configuration are those of one of them', async () => {
    const tables = ['articles', 'other', 'articles', 'other', 'articles', 'other']
    const codes = await Promise.all(
      tables.map((table) => codeOf(client.call(configureSource, fakeConfiguration('db_saved', table)))),
    )
    expect(codes.filter((code) => code === 'no error').length).toBeGreaterThanOrEqual(1)
    expect(codes.filter((code) => code !== 'no error' && code !== 'CONFLICT')).toEqual([])
    const answer = await askHttp(system.url, token, { query: 'cars' }, 'db_saved')
    expect(await answer.json()).toMatchObject({ count: 2 })
  })

  type Contest = { drop: unknown; other: unknown; sources: number }

  /** A drop and something else wait for one row, in this order, and are let go together. */
  async function contest(
    name: string,
    hold: string,
    other: () => Promise<unknown>,
    dropFirst: boolean,
  ): Promise<Contest> {
    await holder.query('begin')
    await holder.query(hold, [name])
    const drop = () => codeOf(client.call(dropDatabase, { name, confirm: name }))
    const [first, second] = dropFirst ? [drop, () => codeOf(other())] : [() => codeOf(other()), drop]
    const one = first()
    await blocked(holder, 1)
    const two = second()
    await blocked(holder, 2)
    await holder.query('commit')
    const [a, b] = await Promise.all([one, two])
    const { rows } = await holder.query('select from data_sources.sources where database_name = $1', [name])
    return { drop: dropFirst ? a : b, other: dropFirst ? b : a, sources: rows.length }
  }

  const HOLD_SOURCE = 'select from data_sources.sources where database_name = $1 for update'
  const HOLD_DATABASE = 'select from databases.databases where name = $1 for update'

  it.each([true, false])('DS-08 a database is dropped or exposed, never both (drop first: %s)', async (dropFirst) => {
    const name = `exposed_${dropFirst}`
    await client.call(createDatabase, { name })
    await client.call(switchSource, { name, enabled: true })
    const expose = () => client.call(exposeSource, { id: `db_${name}`, exposed: true, min_role: 'viewer' })
    const result = await contest(name, HOLD_SOURCE, expose, dropFirst)
    expect([
      { drop: 'no error', other: 'NOT_FOUND', sources: 0 },
      { drop: 'DATABASE_EXPOSED', other: 'no error', sources: 1 },
    ]).toContainEqual(result)
  })

  it.each([true, false])('DS-03 a database that is dropped leaves no source (drop first: %s)', async (dropFirst) => {
    const name = `switched_${dropFirst}`
    await client.call(createDatabase, { name })
    const result = await contest(
      name,
      HOLD_DATABASE,
      () => client.call(switchSource, { name, enabled: true }),
      dropFirst,
    )
    expect([
      { drop: 'no error', other: 'NOT_FOUND', sources: 0 },
      { drop: 'no error', other: 'no error', sources: 0 },
    ]).toContainEqual(result)
  })
})
