import pg from 'pg'
import { expect, it } from 'vitest'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { codeOf } from '#test/managed-databases.ts'
import { startOwnPlatform } from '#test/own-platform.ts'
import { needs } from '#test/stores.ts'
import { startSystem } from '#test/system.ts'

const SLOW = 120_000

needs('postgres')('a Postgres without a free connection', () => {
  it(
    'DS-01 is 503 with Retry-After for whoever creates a database, and works again when one is free',
    async () => {
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
      const made = await create()
      expect(await made.json()).toMatchObject({ name: 'second', state: 'ready' })
      expect((await client.call(readConnection, { name: 'second' })).connection_string).toContain('postgresql://')
    },
    SLOW,
  )
})
