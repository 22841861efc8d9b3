import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createDatabase, dropDatabase, readConnection } from '#contract/databases.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { startOwnPlatform } from '#test/databases/own-platform.ts'
import { needs } from '#test/stores.ts'
import { startSystem } from '#test/system.ts'
import { untilDone } from '#test/until.ts'
import { shareOf } from './servers/share-connections.ts'

needs('postgres')('a Postgres without a free connection', () => {
  it('DS-01 is 503 with Retry-After for whoever creates a database, and works again when one is free', async () => {
    await using platform = await startOwnPlatform({ settings: { max_connections: 40 } })
    await using system = await startSystem({ on: { db: platform.db, databaseUrl: platform.url } })
    const { token } = await system.member('owner')
    const client = system.client(token)
    await client.call(createDatabase, { name: 'first' })
    const create = () =>
      fetch(`${system.url}${createDatabase.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'second' }),
      })
    const held: pg.Client[] = []
    const hold = async () => {
      const one = new pg.Client({ connectionString: platform.server.url })
      one.on('error', () => undefined)
      await one.connect()
      held.push(one)
    }
    while ((await codeOf(hold())) === 'no error') {}
    const refused = await create()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    await Promise.all(held.map((one) => one.end()))
    const secondResponse = await create()
    expect(await secondResponse.json()).toMatchObject({ name: 'second', state: 'ready' })
    expect((await client.call(readConnection, { name: 'second' })).connection_string).toContain('postgresql://')
  })
})

describe('DS-01 the connections of an organization', () => {
  const limits = { databases: 20, connections: 40, reservedConnections: 30 }
  it.each([
    ['one database has as many as one owner ever may', 97, 1, 20],
    ['two databases have the same', 97, 2, 20],
    ['the others share', 97, 3, 13],
    ['the most databases have two each', 97, 20, 2],
    ['databases over a limit that was lowered keep two', 97, 50, 2],
    ['the reserve is kept on a small server', 40, 1, 10],
    ['a server smaller than the reserve still lets owners in', 20, 1, 2],
  ])('%s', (_, slots, databases, share) => {
    expect(shareOf(limits, slots, databases)).toBe(share)
  })
})

needs('postgres')('DS-01 an organization on a Postgres server', () => {
  it('has at most its databases and its connections, and the platform keeps working', async () => {
    await using platform = await startOwnPlatform()
    const env = { SVC_DATABASES_PER_ORG: '4', SVC_DATABASE_CONNECTIONS_PER_ORG: '12' }
    await using system = await startSystem({ on: { db: platform.db, databaseUrl: platform.url }, env })
    const client = system.client((await system.member('developer')).token)
    const held: pg.Client[] = []
    const holdAll = async (name: string) => {
      const { connection_string: connectionString } = await client.call(readConnection, { name })
      const hold = async () => {
        const one = new pg.Client({ connectionString })
        one.on('error', () => undefined)
        await one.connect()
        held.push(one)
      }
      while ((await codeOf(hold())) === 'no error') {}
    }
    const open = async () => {
      const [row] = await system.db.query<{ count: number }>(sql`
          select count(*) from pg_catalog.pg_stat_activity where usename like 'o\\_%'`)
      return row!.count
    }
    const limitsOf = async () => {
      const rows = await system.db.query<{ limit: number }>(sql`
          select rolconnlimit as limit from pg_catalog.pg_roles where rolname like 'o\\_%' order by oid`)
      return rows.map(({ limit }) => limit)
    }
    for (const name of ['one', 'two', 'three', 'four']) {
      await client.call(createDatabase, { name })
      await holdAll(name)
    }
    expect(await limitsOf()).toEqual([3, 3, 3, 3])
    await untilDone(async () => expect(await open()).toBe(12))
    await expect(client.call(createDatabase, { name: 'five' })).rejects.toMatchObject({
      code: 'DATABASE_LIMIT',
      message:
        'This organization may have at most 4 databases. Drop one, or ask the operator to raise SVC_DATABASES_PER_ORG.',
    })
    await platform.server.psql(`do $$ begin execute (select format('alter role %I connection limit 7', rolname)
        from pg_roles where rolname like 'o\\_%' order by oid limit 1); end $$`)
    const admin = system.client((await system.member('admin', await orgOf(system.db))).token)
    await admin.call(dropDatabase, { name: 'four', confirm: 'four' })
    expect(await limitsOf()).toEqual([7, 4, 4])
    await client.call(createDatabase, { name: 'five' })
    expect(await limitsOf()).toEqual([7, 3, 3, 3])
    await Promise.all(held.map((one) => one.end().catch(() => undefined)))
  })
})

async function orgOf(db: Db): Promise<string> {
  const [row] = await db.query<{ org_id: string }>(sql`select org_id from databases.databases limit 1`)
  return row!.org_id
}
