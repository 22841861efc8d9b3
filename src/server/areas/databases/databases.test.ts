import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { createDatabase, dropDatabase, listDatabases, readConnection } from '#contract/databases.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { needs, stores } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let other: Person

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  other = await system.member('owner')
})
afterAll(async () => {
  for (const { token } of [owner, other]) {
    const { items } = await system.client(token).call(listDatabases, {})
    for (const { name } of items) await system.client(token).call(dropDatabase, { name, confirm: name })
  }
  await system?.[Symbol.asyncDispose]()
})

const as = (person: Person) => system.client(person.token)
const create = (name: string, person = owner) => as(person).call(createDatabase, { name })
const drop = (name: string, person = owner) => as(person).call(dropDatabase, { name, confirm: name })
const stringOf = async (name: string, person = owner) =>
  (await as(person).call(readConnection, { name })).connection_string

describe('managed databases', () => {
  it('DS-01 DS-02 one is made, listed, connected to and used with pgvector; a second of its name is a conflict', async () => {
    expect(await create('handbook')).toMatchObject({ name: 'handbook', state: 'ready', data_source: null })
    expect(await codeOf(create('handbook'))).toBe('CONFLICT')
    expect((await as(owner).call(listDatabases, {})).items).toMatchObject([{ name: 'handbook', state: 'ready' }])

    await using client = await connectTo(await stringOf('handbook'))
    await client.query('create table articles (id int primary key, embedding vector(3))')
    await client.query(`insert into articles values (1, '[1,0,0]'), (2, '[0,1,0]')`)
    const { rows } = await client.query(`select id from articles order by embedding <=> '[0,1,0]' limit 1`)
    expect(rows).toEqual([{ id: 2 }])
    const who = await client.query(
      'select current_user as name, (select rolsuper from pg_roles where rolname = current_user)',
    )
    expect(who.rows).toEqual([{ name: expect.stringMatching(/^o_[0-9a-f]{16}$/), rolsuper: false }])
  })

  it('DS-01 another organization may use the same name and sees nothing of the first', async () => {
    expect((await as(other).call(listDatabases, {})).items).toEqual([])
    expect(await codeOf(stringOf('handbook', other))).toBe('NOT_FOUND')
    expect(await codeOf(drop('handbook', other))).toBe('NOT_FOUND')
    await create('handbook', other)
    await using client = await connectTo(await stringOf('handbook', other))
    expect(await codeOf(client.query('select * from articles'))).toBe('42P01')
    await drop('handbook', other)
  })

  it('DS-01 a login opens its own database and no other', async () => {
    await create('second')
    const [first, second] = [new URL(await stringOf('handbook')), new URL(await stringOf('second'))]
    const crossed = new URL(first)
    crossed.pathname = second.pathname
    expect(await codeOf(connectTo(crossed.href))).toMatch(/^(?:42501|28P01)$/)
    crossed.pathname = '/d_0000000000000000'
    expect(await codeOf(connectTo(crossed.href))).toMatch(/^(?:3D000|28P01)$/)
    first.password = 'wrong'
    expect(await codeOf(connectTo(first.href))).toBe('28P01')
    await drop('second')
    expect(await codeOf(connectTo(second.href))).toMatch(/^(?:3D000|28P01)$/)
    expect(await codeOf(stringOf('second'))).toBe('NOT_FOUND')
  })

  it('DS-02 each reading of a connection string is audited, and the string is in no log', async () => {
    const password = new URL(await stringOf('handbook')).password
    const { items } = await as(owner).call(listAudit, { org_id: owner.org_id })
    expect(items.map(({ action }) => action)).toContain('database.connection_read')
    expect(JSON.stringify(items) + system.logs.join('')).not.toContain(password)
    const rows = await system.db.query(sql`select * from databases.databases`)
    expect(JSON.stringify(rows)).not.toContain(password)
  })

  it('DS-02 support staff get no connection string and drop nothing, elevated or not', async () => {
    const ask = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'test' }
    const { id, token } = await system.operator.call(startSupport, ask)
    const client = system.client(token)
    const tryAll = () =>
      Promise.all([
        codeOf(client.call(readConnection, { name: 'handbook' })),
        codeOf(client.call(dropDatabase, { name: 'handbook', confirm: 'handbook' })),
        codeOf(client.call(listDatabases, {})),
        codeOf(client.call(createDatabase, { name: 'by_support' })),
      ])
    expect(await tryAll()).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'])
    await system.operator.call(elevateSupport, { id })
    expect(await tryAll()).toEqual(['FORBIDDEN', 'FORBIDDEN', 'no error', 'FORBIDDEN'])
    expect(await stringOf('handbook')).toContain('postgresql://')
  })

  it('a drop needs the name once more, and is refused while agents may ask', async () => {
    const wrong = as(owner).call(dropDatabase, { name: 'handbook', confirm: 'Handbook' })
    expect(await codeOf(wrong)).toBe('INVALID_REQUEST')
    await system.db.query(sql`
      insert into data_sources.sources (id, org_id, database_name, name, exposed, min_role, created_at, updated_at)
      values ('ds_x', ${owner.org_id}, 'handbook', 'Handbook', true, 'viewer', now(), now())`)
    const { items } = await as(owner).call(listDatabases, {})
    expect(items[0]?.data_source).toEqual({ enabled: true, exposed: true })
    expect(await codeOf(drop('handbook'))).toBe('DATABASE_EXPOSED')
    await system.db.query(sql`update data_sources.sources set exposed = false where id = 'ds_x'`)
    expect(await drop('handbook')).toEqual({ name: 'handbook', dropped: true })
    expect(await system.db.query(sql`select from data_sources.sources where id = 'ds_x'`)).toEqual([])
  })

  it.each(['', 'Handbook', '1a', 'a-b', 'a"b', 'ä', 'a'.repeat(49)])('DS-01 %j is no name', async (name) => {
    expect(await codeOf(create(name))).toBe('INVALID_REQUEST')
  })

  it('a database left half created by a crash is not usable, and a second create finishes it', async () => {
    await create('broken')
    const before = await stringOf('broken')
    for (const state of ['creating', 'failed']) {
      await system.db.query(sql`update databases.databases set state = ${state} where name = 'broken'`)
      expect(await codeOf(stringOf('broken'))).toBe('CONFLICT')
      expect(await create('broken')).toMatchObject({ state: 'ready' })
    }
    expect(await stringOf('broken')).toBe(before)
    await drop('broken')
  })
})

needs('postgres')('managed databases on Postgres', () => {
  it('DS-01 exactly one of several concurrent creates of one name succeeds', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => codeOf(create('raced'))))
    expect(results.filter((code) => code === 'no error')).toHaveLength(1)
    expect(results.filter((code) => code === 'CONFLICT')).toHaveLength(5)
    await using client = await connectTo(await stringOf('raced'))
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await drop('raced')
  })

  it('DS-01 a drop ends its connections and leaves no database and no role', async () => {
    await create('gone')
    const string = await stringOf('gone')
    const { pathname, username } = new URL(string)
    const hex = pathname.slice(3)
    await using client = await connectTo(string)
    await drop('gone')
    expect(await codeOf(client.query('select 1'))).not.toBe('no error')
    expect(username).toBe(`o_${hex}`)
    const left = await system.db.query(sql`
      select datname from pg_database where datname like ${`%${hex}`}
      union all select rolname from pg_roles where rolname like ${`%${hex}`}`)
    expect(left).toEqual([])
  })

  it('a tenant can neither enter the platform’s database nor drop or rename its own', async () => {
    await create('tenant')
    const own = new URL(await stringOf('tenant'))
    const platform = new URL(own)
    platform.pathname = new URL(system.databaseUrl!).pathname
    expect(await codeOf(connectTo(platform.href))).toBe('42501')
    await using client = await connectTo(own.href)
    const database = own.pathname.slice(1)
    expect(await codeOf(client.query(`grant connect on database ${database} to public`))).not.toBe('42501')
    const open = await client.query(`select has_database_privilege('public', current_database(), 'connect') as open`)
    expect(open.rows).toEqual([{ open: false }])
    expect(await codeOf(client.query(`alter database ${database} rename to mine`))).toBe('42501')
    expect(await codeOf(client.query('create role mine'))).toBe('42501')
    await drop('tenant')
  })
})

// On a server there is no such limit to test, so there is nothing to skip either.
if (!stores.postgres)
  describe('managed databases on the embedded engine', () => {
    it('DS-01 there are as many as configured, over all organizations; a refused one leaves nothing', async () => {
      await using small = await startSystem({ env: { SVC_EMBEDDED_MAX_DATABASES: '1' } })
      const [first, second] = [small.client((await small.member()).token), small.client((await small.member()).token)]
      await first.call(createDatabase, { name: 'one' })
      expect(await codeOf(second.call(createDatabase, { name: 'two' }))).toBe('DATABASE_LIMIT')
      expect((await second.call(listDatabases, {})).items).toEqual([])
      await first.call(dropDatabase, { name: 'one', confirm: 'one' })
      expect(await second.call(createDatabase, { name: 'two' })).toMatchObject({ state: 'ready' })
    })
  })
