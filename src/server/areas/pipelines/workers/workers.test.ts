import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import type { Client } from '#contract/core/client.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { callFunction, listFunctions } from '#contract/functions.ts'
import { reportResults, workerHeartbeat } from '#contract/workers.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'
import { STREAMS_CHANNEL } from '../calls/channels.ts'

const GREET = { name: 'greet', input_schema: { type: 'object' } }

describe('a worker', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const connect = (client: Client, alias: string, over: object = {}) =>
    connectRawWorker(client, alias, { functions: [GREET], ...over })

  it('is refused for an app in which its token has no part, and for one of another organization', async () => {
    const app = await newApp(system)
    const member = await system.member('member', app.org_id)
    const stranger = await newApp(system)
    const message = 'This needs the role developer or above. Your role is member. An owner can change it.'
    const refusal = { code: 'FORBIDDEN', message }
    await expect(connect(system.client(member.token), app.alias)).rejects.toMatchObject(refusal)
    await expect(connect(stranger.client, app.alias)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is admitted with the token of a member who builds the app, and to no other app', async () => {
    const app = await newApp(system)
    const owner = system.client((await system.member('owner', app.org_id)).token)
    const builder = await system.member('member', app.org_id)
    await owner.call(setAppPerson, { alias: app.alias, user_id: builder.user_id, part: 'builder' })
    await owner.call(createApp, { alias: 'other' })
    await using _ = await connect(system.client(builder.token), app.alias)
    await expect(connect(system.client(builder.token), 'other')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('may not report results of a worker of another app or another token', async () => {
    const app = await newApp(system)
    await using one = await connect(app.client, app.alias)
    const colleague = system.client((await system.member('developer', app.org_id)).token)
    const results = [{ call_id: `call_${'0'.repeat(26)}`, fence: 1 }]
    const own = { alias: app.alias, worker_id: one.worker_id }
    await expect(colleague.call(reportResults, { ...own, results })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(colleague.call(workerHeartbeat, own)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is refused with a schema that cannot be used, and told where the fault is', async () => {
    const app = await newApp(system)
    const functions = [
      GREET,
      { name: 'bad', input_schema: { type: 'object', properties: { a: { pattern: '(?=a)' } } } },
    ]
    await expect(connect(app.client, app.alias, { functions })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ path: 'functions.1.input_schema.properties.a.pattern' }],
    })
    await expect(connect(app.client, app.alias, { functions: [GREET, GREET] })).rejects.toMatchObject({
      message: 'functions.1.name: greet is registered twice',
    })
    expect((await app.client.call(listFunctions, {})).items).toEqual([])
  })

  it('gets 409 when the app has 64 workers', async () => {
    const app = await newApp(system)
    await using one = await connect(app.client, app.alias)
    await system.db.query(sql`
      insert into pipelines.workers
      select 'wrk_' || lpad(n::text, 26, '0'), org_id, app_id, principal_id, sdk_version, concurrency, 0, connected_at,
             expires_at
      from pipelines.workers, generate_series(1, 63) as n where id = ${one.worker_id}`)
    await expect(connect(app.client, app.alias)).rejects.toMatchObject({ code: 'WORKER_LIMIT' })
  })

  it('goes on after a broken connection with the calls it has, and gets those that did not reach it', async () => {
    const app = await newApp(system)
    const first = await connect(app.client, app.alias)
    const answers = ['Ada', 'Bob'].map((name) =>
      app.client.call(callFunction, { alias: app.alias, name: 'greet', arguments: { name } }),
    )
    const [ada, bob] = [await first.nextCall(), await first.nextCall()]
    await first.close()
    await using second = await connect(app.client, app.alias, { worker_id: first.worker_id, calls: [ada.call_id] })
    expect(second.worker_id).toBe(first.worker_id)
    const again = await second.nextCall()
    expect([again.call_id, again.fence, again.input]).toEqual([bob.call_id, bob.fence, bob.input])
    await second.report(
      { call_id: ada.call_id, fence: ada.fence, output: 1 },
      { call_id: bob.call_id, fence: bob.fence, output: 2 },
    )
    expect(new Set((await Promise.all(answers)).map(({ result }) => result))).toEqual(new Set([1, 2]))
  })

  it('has one stream: the former one ends when it connects again, and each when it is lost', async () => {
    const app = await newApp(system)
    await using first = await connect(app.client, app.alias)
    await using second = await connect(app.client, app.alias, { worker_id: first.worker_id })
    await expect(first.next()).rejects.toThrow('the stream has ended')
    await system.db.query(sql`update pipelines.workers set expires_at = now() where id = ${first.worker_id}`)
    await notify(system.db, STREAMS_CHANNEL)
    await expect(second.next()).rejects.toThrow('the stream has ended')
  })

  it('cannot end a call with another fence, nor a second time', async () => {
    const app = await newApp(system)
    await using one = await connect(app.client, app.alias)
    const answer = app.client.call(callFunction, { alias: app.alias, name: 'greet' })
    const { call_id, fence } = await one.nextCall()
    expect(await one.report({ call_id, fence: fence - 1, output: 'old' })).toEqual({ accepted: [], refused: [call_id] })
    expect(await one.heartbeat([call_id])).toEqual({ cancel: [] })
    expect(await one.report({ call_id, fence, output: 'new' })).toEqual({ accepted: [call_id], refused: [] })
    expect(await one.report({ call_id, fence, output: 'twice' })).toEqual({ accepted: [], refused: [call_id] })
    expect(await answer).toMatchObject({ result: 'new' })
    expect(await one.heartbeat([call_id])).toEqual({ cancel: [call_id] })
  })

  it('gets no more calls at once than it has places for', async () => {
    const app = await newApp(system)
    await using one = await connect(app.client, app.alias, { concurrency: 1 })
    const ask = () => app.client.call(callFunction, { alias: app.alias, name: 'greet' })
    const answers = [ask(), ask()]
    const first = await one.nextCall()
    const waiting = await until(async () => {
      const rows = await system.db.query<{ state: string }>(sql`
        select state from pipelines.calls where org_id = ${app.org_id} order by state`)
      return rows.length === 2 && rows
    })
    expect(waiting.map(({ state }) => state)).toEqual(['queued', 'running'])
    await one.report({ call_id: first.call_id, fence: first.fence, output: 1 })
    const second = await one.nextCall()
    await one.report({ call_id: second.call_id, fence: second.fence, output: 2 })
    expect(new Set((await Promise.all(answers)).map(({ result }) => result))).toEqual(new Set([1, 2]))
  })

  it('that registers fewer functions removes the others from the list', async () => {
    const app = await newApp(system)
    const first = await connect(app.client, app.alias, { functions: [GREET, { ...GREET, name: 'old' }] })
    await using _ = await connect(app.client, app.alias, { worker_id: first.worker_id })
    expect((await app.client.call(listFunctions, {})).items.map(({ name }) => name)).toEqual(['greet'])
    await first.close()
  })

  it('DS-08 has functions that do not count toward the 100 exposed data sources', async () => {
    const app = await newApp(system)
    const admin = system.client((await system.member('admin', app.org_id)).token)
    const functions = Array.from({ length: 100 }, (_, n) => ({ ...GREET, name: `f${n}` }))
    await using one = await connect(app.client, app.alias, { functions })
    await system.db.query(sql`
      insert into data_sources.sources (id, org_id, database_name, name, exposed, min_role, created_at, updated_at)
      select ${app.org_id} || n, ${app.org_id}, 'd' || n, 'd' || n, n < 100, 'viewer', now(), now()
      from generate_series(1, 101) n`)
    expect((await admin.call(exposeSource, { id: 'db_d100', exposed: true })).exposed).toBe(true)
    await expect(admin.call(exposeSource, { id: 'db_d101', exposed: true })).rejects.toMatchObject({
      code: 'EXPOSED_LIMIT',
    })
    const answer = app.client.call(callFunction, { alias: app.alias, name: 'f99' })
    const { call_id, fence } = await one.nextCall()
    await one.report({ call_id, fence, output: 'called' })
    expect(await answer).toMatchObject({ result: 'called' })
    const page = await app.client.call(listFunctions, { limit: 60 })
    const rest = await app.client.call(listFunctions, { limit: 60, cursor: page.next_cursor! })
    expect([page.items.length, rest.items.length, rest.next_cursor]).toEqual([60, 40, null])
  })
})
