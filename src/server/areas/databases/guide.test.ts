import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, dropDatabase, readConnection } from '#contract/databases.ts'
import { startTestArea } from '#test/databases/databases-area.ts'
import { prepareAsGuide, urlAs } from '#test/databases/guide-role.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { type OwnPlatform, startOwnPlatform } from '#test/databases/own-platform.ts'
import type { OwnPostgres } from '#test/databases/own-postgres.ts'
import { needs } from '#test/stores.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { type System, startSystem } from '#test/system.ts'
import { TEMPLATE_SQL } from './engine/postgres/template.ts'

needs('postgres')('DS-01 with the role that the guide makes', () => {
  let platform: OwnPlatform
  let system: System
  beforeAll(async () => {
    platform = await startOwnPlatform({ prepare: prepareAsGuide })
    system = await startSystem({ on: { db: platform.db, databaseUrl: platform.url } })
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await platform?.[Symbol.asyncDispose]()
  })

  it('a database is created, used with pgvector and dropped, and nothing is warned of', async () => {
    const client = system.client((await system.member('owner')).token)
    expect(await client.call(createDatabase, { name: 'notes' })).toMatchObject({ name: 'notes', state: 'ready' })
    const { connection_string } = await client.call(readConnection, { name: 'notes' })
    {
      await using owner = await connectTo(connection_string)
      await owner.query('create table public.notes (id int, embedding vector(3))')
    }
    expect(await client.call(dropDatabase, { name: 'notes', confirm: 'notes' })).toMatchObject({ dropped: true })
    expect(system.logs.filter((line) => /"level":(?:40|50|"warn"|"error")/.test(line))).toEqual([])
    const area = startTestArea(platform.db, platform.url)
    expect(await area.databases.warnings()).toEqual([])
    await area[Symbol.asyncDispose]()
  })
})

needs('postgres')('DS-01 with a role that has fewer rights', () => {
  let platform: OwnPlatform
  let system: System
  beforeAll(async () => {
    const prepare = async (server: OwnPostgres) => {
      await server.psql(`create role svc login password 'x'; create database svc owner svc;`)
      return urlAs(server, { username: 'svc', password: 'x', database: 'svc' })
    }
    platform = await startOwnPlatform({ prepare })
    system = await startSystem({ on: { db: platform.db, databaseUrl: platform.url } })
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await platform?.[Symbol.asyncDispose]()
  })

  const warnings = async () => {
    const area = startTestArea(platform.db, platform.url)
    const found = await area.databases.warnings()
    await area.databases[Symbol.asyncDispose]()
    return found
  }

  it('the start says what to run and creating is 503 in the same words, until it is run', async () => {
    const client = system.client((await system.member('owner')).token)
    const create = () => client.call(createDatabase, { name: 'notes' })
    const closed = 'revoke connect on database postgres, template1 from public;'
    const quiet = 'grant set on parameter log_min_messages, log_parameter_max_length to svc;'

    expect(await warnings()).toEqual([
      expect.stringContaining('alter role svc createdb createrole;'),
      expect.stringContaining(closed),
      expect.stringContaining(quiet),
    ])
    await expect(create()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('/guides/running'),
    })

    await onServer(platform.server.url, 'alter role svc createdb createrole')
    const template = TEMPLATE_SQL.join('; ')
    expect(await warnings()).toEqual([template, closed, quiet].map((text) => expect.stringContaining(text)))
    await expect(create()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(template) })

    await platform.server.psql(
      `${TEMPLATE_SQL.map((line) => (line.startsWith('\\') ? line : `${line};`)).join('\n')}\n`,
    )
    await platform.server.psql(`${closed} ${quiet}`)
    expect(await warnings()).toEqual([])
    expect(await create()).toMatchObject({ state: 'ready' })
    const left = await platform.db.query({
      name: '',
      values: [],
      text: `select datname from pg_database
      where datname like 'svc_managed_template_%'`,
    })
    expect(left).toEqual([])
  })
})

needs('postgres')('DS-01 with pgvector in template1', () => {
  it('a database is created, and has nothing else of what is kept there', async () => {
    const prepare = async (server: OwnPostgres) => {
      await server.psql('\\connect template1\ncreate extension vector; create table public.kept (id int);\n')
      await onServer(server.url, 'create database platform')
      return withDatabase(server.url, 'platform')
    }
    await using platform = await startOwnPlatform({ prepare })
    await using area = startTestArea(platform.db, platform.url)
    const row = await area.make('notes')
    await using owner = await connectTo(area.ownerUrl(row))
    expect((await owner.query(`select '[1,2]'::vector::text as v`)).rows).toEqual([{ v: '[1,2]' }])
    expect(await codeOf(owner.query('select * from public.kept'))).toBe('42P01')
  })
})
