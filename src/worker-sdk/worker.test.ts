import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callFunction, listFunctions } from '#contract/functions.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { createWorker } from './index.ts'

describe('AU-16 a worker of the SDK', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  /** A worker whose connections the test can cut. */
  const worker = (app: TestApp, over: object = {}) => {
    const open = new Set<AbortController>()
    const cutting = async (request: Request): Promise<Response> => {
      const cut = new AbortController()
      open.add(cut)
      return fetch(request, { signal: AbortSignal.any([cut.signal, request.signal]) })
    }
    const cut = () => {
      for (const one of open) one.abort(new TypeError('the connection broke'))
      open.clear()
    }
    const env = { SVC_API_URL: system.url, SVC_APP: app.alias, SERVER_API_TOKEN: app.token }
    return { served: createWorker({ env, fetch: cutting, onError: () => {}, ...over }), cut }
  }
  const call = (app: TestApp, name: string, sent: Record<string, unknown> = {}) =>
    app.client.call(callFunction, { alias: app.alias, name, arguments: sent })

  it('serves a function whose arguments zod describes and checks', async () => {
    const app = await newApp(system)
    const { served } = worker(app)
    const input = z.object({ email: z.email(), times: z.int().max(3).default(1) })
    served.function('repeat', { description: 'Repeats', input }, ({ email, times }) => Array(times).fill(email))
    await served.start()
    const { items } = await app.client.call(listFunctions, {})
    expect(items[0]!.input_schema).toMatchObject({
      properties: { email: { type: 'string', format: 'email' }, times: { type: 'integer', maximum: 3 } },
      required: ['email'],
    })
    expect(await call(app, 'repeat', { email: 'a@b.example' })).toMatchObject({ result: ['a@b.example'] })
    await expect(call(app, 'repeat', { email: 'a@b.example', times: 4 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    // The format is an annotation for the server, so the worker itself refuses this one.
    await expect(call(app, 'repeat', { email: 'nobody' })).rejects.toMatchObject({
      code: 'FUNCTION_FAILED',
      message: 'The arguments do not fit: email: Invalid email address',
    })
    await served.stop()
  })

  it('reaches svc where only the fetch of the program knows the way', async () => {
    const app = await newApp(system)
    const { port } = new URL(system.url)
    const lookup = (_: string, __: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])
    const before = getGlobalDispatcher()
    const agent = new Agent({ connect: { lookup: lookup as never } })
    setGlobalDispatcher(agent)
    try {
      const env = { SVC_API_URL: `http://svc.invalid:${port}`, SVC_APP: app.alias, SERVER_API_TOKEN: app.token }
      const served = createWorker({ env, onError: () => {} }).function('greet', {}, () => 'Hello')
      await served.start()
      expect(await call(app, 'greet')).toMatchObject({ result: 'Hello' })
      await served.stop()
    } finally {
      setGlobalDispatcher(before)
      await agent.close()
    }
  })

  it('answers what its code returns, throws or cannot be sent', async () => {
    const app = await newApp(system)
    const { served } = worker(app)
    served
      .function('nothing', {}, () => undefined)
      .function('throws', {}, () => {
        throw new Error('No such order')
      })
      .function('unsendable', {}, () => 1n)
      .function('large', {}, () => 'x'.repeat(2 * 1024 * 1024))
    await served.start()
    expect(await call(app, 'nothing')).toMatchObject({ result: null })
    await expect(call(app, 'throws')).rejects.toMatchObject({ code: 'FUNCTION_FAILED', message: 'No such order' })
    await expect(call(app, 'unsendable')).rejects.toMatchObject({ code: 'FUNCTION_FAILED' })
    await expect(call(app, 'large')).rejects.toMatchObject({ message: 'The result is larger than 1048576 bytes.' })
    await served.stop()
  })

  it('connects again as the same worker after a break, ends the call it has, and gets new ones', async () => {
    const app = await newApp(system)
    const { served, cut } = worker(app)
    const go = Promise.withResolvers<string>()
    let runs = 0
    served.function('wait', {}, () => {
      runs++
      return go.promise
    })
    await served.start()
    const answer = call(app, 'wait')
    await until(() => runs === 1)
    const streamOf = () =>
      system.db.query<{ id: string; stream: number }>(sql`
        select workers.id, stream from pipelines.workers join apps.apps on apps.id = app_id where alias = ${app.alias}`)
    const [before] = await streamOf()
    cut()
    const after = await until(async () => {
      const rows = await streamOf()
      return rows[0]!.stream !== before!.stream && rows
    })
    expect(after.map(({ id }) => id)).toEqual([before!.id])
    go.resolve('done')
    expect(await answer).toMatchObject({ result: 'done' })
    expect(await call(app, 'wait')).toMatchObject({ result: 'done' })
    expect(runs).toBe(2)
    await served.stop()
  })

  it('starts again from nothing when it was away for too long, and aborts what it ran', async () => {
    const app = await newApp(system)
    const { served, cut } = worker(app)
    let reason: unknown
    const begun = Promise.withResolvers<void>()
    served.function('wait', {}, (_, { signal }) => {
      begun.resolve()
      const aborted = Promise.withResolvers<string>()
      signal.addEventListener('abort', () => {
        reason = signal.reason
        aborted.resolve('aborted')
      })
      return aborted.promise
    })
    await served.start()
    const answer = call(app, 'wait').catch((error: { code: string }) => error.code)
    await begun.promise
    await system.db.query(sql`delete from pipelines.workers`)
    cut()
    await until(() => reason !== undefined)
    expect(reason).toEqual(new Error('The connection was lost for too long.'))
    expect(await answer).toBe('WORKER_LOST')
    await served.stop()
  })

  it('lets calls end when it stops, and takes no more', async () => {
    const app = await newApp(system)
    const { served } = worker(app)
    const go = Promise.withResolvers<string>()
    served.function('wait', {}, () => go.promise)
    await served.start()
    const answer = call(app, 'wait')
    await until(
      async () => (await system.db.query(sql`select from pipelines.calls where state = 'running'`)).length > 0,
    )
    const stopped = served.stop()
    await until(async () => !(await app.client.call(listFunctions, {})).items[0]!.connected)
    await expect(call(app, 'wait')).rejects.toMatchObject({ code: 'NO_WORKER' })
    go.resolve('ended')
    expect(await answer).toMatchObject({ result: 'ended' })
    await stopped
  })

  it('does not start without an app, nor where the server refuses it', async () => {
    expect(() => createWorker({ env: {} })).toThrow('SVC_APP is not set')
    const app = await newApp(system)
    const { served } = worker({ ...app, alias: 'none' })
    await expect(served.start()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
