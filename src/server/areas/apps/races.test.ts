import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, deleteApp, readApp } from '#contract/apps/apps.ts'
import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { lockActiveApp } from './model/store.ts'

needs('postgres')('MA-15 races on apps', () => {
  let system: System
  let owner: Awaited<ReturnType<System['member']>>
  beforeAll(async () => {
    system = await startSystem()
    owner = await system.member('owner')
  })
  afterAll(() => system?.[Symbol.asyncDispose]())
  const client = () => system.client(owner.token)

  it('of two that create one alias at once, one succeeds and the other is told of the conflict', async () => {
    for (let round = 0; round < 10; round++) {
      const alias = `twice${round}`
      const outcomes = await Promise.all([1, 2].map(() => codeOf(client().call(createApp, { alias }))))
      expect(new Set(outcomes)).toEqual(new Set(['CONFLICT', 'no error']))
    }
  })

  it('a deletion waits for a change that holds the app, and a change after it finds no app', async () => {
    await client().call(createApp, { alias: 'held' })
    const held = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    // As a deploy is queued: the app is locked first, then rows are added to it.
    const deploying = system.db.tx(async (tx) => {
      const { id } = await lockActiveApp(tx, owner.org_id, 'held')
      held.resolve()
      await end.promise
      await tx.query(sql`
        insert into apps.revisions (id, app_id, org_id, digest, manifest, file_count, total_bytes, created_at)
        values ('rev_held', ${id}, ${owner.org_id}, ${Buffer.alloc(32)}, '[]', 0, 0, now())`)
    })
    await held.promise
    const deleting = client().call(deleteApp, { alias: 'held', confirm: 'held' })
    await until(async () => {
      const waiting = await system.db.query(sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%update apps.apps set state%'`)
      return waiting.length > 0
    })
    expect((await client().call(readApp, { alias: 'held' })).state).toBe('active')
    end.resolve()
    await deploying
    expect(await deleting).toEqual({ alias: 'held', state: 'deleting' })
    expect(await codeOf(system.db.tx((tx) => lockActiveApp(tx, owner.org_id, 'held')))).toBe('NOT_FOUND')
    await until(async () => (await system.db.query(sql`select from apps.revisions where id = 'rev_held'`)).length === 0)
  })

  it('two changes at once cannot exceed the number of variables together', async () => {
    await client().call(createApp, { alias: 'variables' })
    const add = (prefix: string) => {
      const set = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`${prefix}${n}`, 'x']))
      return codeOf(client().call(changeEnvironment, { alias: 'variables', set }))
    }
    expect(new Set(await Promise.all([add('A'), add('B')]))).toEqual(new Set(['APP_LIMIT', 'no error']))
    expect((await client().call(readEnvironment, { alias: 'variables' })).items).toHaveLength(150)
  })
})
