import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import { callFunction, listFunctions } from '#contract/functions.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'

const GREET = {
  name: 'greet',
  description: 'Greets a person',
  input_schema: {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 20 } },
    required: ['name'],
    additionalProperties: false,
  },
}

describe('a function of an app', () => {
  let system: System
  let app: TestApp
  beforeAll(async () => {
    system = await startSystem()
    app = await newApp(system)
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const call = (input: Record<string, unknown>, over: { timeout_seconds?: number } = {}) =>
    app.client.call(callFunction, { alias: app.alias, name: 'greet', arguments: input, ...over })
  const worker = (functions: object[] = [GREET], over: object = {}) =>
    connectRawWorker(app.client, app.alias, { functions: functions as never, ...over })

  it('is listed with its schema, is called, and answers', async () => {
    await using one = await worker()
    const { items } = await app.client.call(listFunctions, {})
    expect(items).toEqual([{ alias: app.alias, ...GREET, timeout_seconds: 30, connected: true }])
    const answer = call({ name: 'Ada' })
    const work = await one.nextCall()
    expect(work).toMatchObject({ kind: 'function', name: 'greet', input: { name: 'Ada' } })
    expect(await one.report({ call_id: work.call_id, fence: work.fence, output: { text: 'Hello Ada' } })).toEqual({
      accepted: [work.call_id],
      refused: [],
    })
    expect(await answer).toEqual({ call_id: work.call_id, result: { text: 'Hello Ada' } })
  })

  it('refuses arguments that its schema does not allow, and names each fault', async () => {
    await using _ = await worker()
    await expect(call({ name: 7, age: 1 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'arguments.name: must be string; arguments.age: unknown key',
      errors: [
        { path: 'arguments.name', message: 'must be string' },
        { path: 'arguments.age', message: 'unknown key' },
      ],
    })
  })

  it('answers with the error that its code threw', async () => {
    await using one = await worker()
    const answer = call({ name: 'Ada' })
    const { call_id, fence } = await one.nextCall()
    const refused = expect(answer).rejects.toMatchObject({ code: 'FUNCTION_FAILED', message: 'No Ada here' })
    await one.report({ call_id, fence, error: 'No Ada here' })
    await refused
  })

  it('OP-03 past 1,000 calls that wait, a call is refused with Retry-After; those before it are answered, and later ones taken', async () => {
    await using one = await worker()
    const [first, second] = [call({ name: 'Ada' }), call({ name: 'Bob' })]
    const taken = [await one.nextCall(), await one.nextCall()]
    await system.db.query(sql`
      insert into pipelines.calls (id, org_id, app_id, kind, name, repeatable, state, created_at, deadline)
      select 'cal_waits' || n, org_id, id, 'pipeline', 'unserved', false, 'queued', now(), now() + interval '1 hour'
      from apps.apps cross join generate_series(1, 1000) n where alias = ${app.alias}`)
    const refused = await fetch(`${system.url}/api/deploy/deployments/${app.alias}/functions/greet/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { name: 'Eve' } }),
    })
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      429,
      '5',
      { code: 'RATE_LIMITED' },
    ])
    await system.db.query(sql`delete from pipelines.calls where id like 'cal_waits%'`)
    const third = call({ name: 'Cleo' })
    taken.push(await one.nextCall())
    const report = ({ call_id, fence, input }: (typeof taken)[number]) => one.report({ call_id, fence, output: input })
    for (const work of taken) await report(work)
    const results = (await Promise.all([first, second, third])).map(({ result }) => result)
    expect(results).toEqual([{ name: 'Ada' }, { name: 'Bob' }, { name: 'Cleo' }])
  })

  it('answers NO_WORKER when no worker is connected, and NOT_FOUND for an unknown name', async () => {
    const own = await newApp(system)
    await using one = await connectRawWorker(own.client, own.alias, { functions: [GREET] })
    await one.heartbeat([], true)
    expect((await own.client.call(listFunctions, {})).items).toMatchObject([{ name: 'greet', connected: false }])
    const input = { alias: own.alias, name: 'greet', arguments: { name: 'Ada' } }
    await expect(own.client.call(callFunction, input)).rejects.toMatchObject({
      code: 'NO_WORKER',
      message: `No worker that serves greet is connected. Start the app ${own.alias}, or its worker, and try again.`,
    })
    await expect(own.client.call(callFunction, { ...input, name: 'other' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('is told to stop when its time is over, and the caller gets TIMEOUT', async () => {
    await using one = await worker()
    const refused = expect(call({ name: 'Ada' }, { timeout_seconds: 1 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const { call_id, fence } = await one.nextCall()
    await refused
    expect(await one.next()).toEqual({ type: 'cancel', call_id })
    expect(await one.report({ call_id, fence, output: 1 })).toEqual({ accepted: [], refused: [call_id] })
  })

  it('is told to stop when the caller goes away', async () => {
    await using one = await worker()
    const leaving = new AbortController()
    const input = { alias: app.alias, name: 'greet', arguments: { name: 'Ada' } }
    const gone = app.client.call(callFunction, input, { signal: leaving.signal }).catch(() => 'gone')
    const { call_id } = await one.nextCall()
    leaving.abort()
    expect(await gone).toBe('gone')
    expect(await one.next()).toEqual({ type: 'cancel', call_id })
  })

  it('DS-20 leaves Activity of type Functions: who, when, sizes, status; refused calls too', async () => {
    const own = await newApp(system)
    await using one = await connectRawWorker(own.client, own.alias, { functions: [GREET] })
    const input = { alias: own.alias, name: 'greet', arguments: { name: 'Ada' } }
    const answer = own.client.call(callFunction, input)
    const { call_id, fence } = await one.nextCall()
    await one.report({ call_id, fence, output: 'Hello' })
    await answer
    await own.client.call(callFunction, { ...input, arguments: {} }).catch(() => {})
    await own.client.call(callFunction, { ...input, arguments: 'x' as never }).catch(() => {})
    const items = await until(async () => {
      const found = (await own.client.call(listActivity, {})).items
      return found.length === 3 && found.every(({ status }) => status !== null) && found
    })
    const target = `${own.alias}/greet`
    expect(items.map(({ target: of, source, status, answer_bytes }) => [of, source, status, answer_bytes])).toEqual([
      [target, 'api', 400, 0],
      [target, 'api', 400, 0],
      [target, 'api', 200, 7],
    ])
    const questions = await own.client.call(listActivity, { type: 'data_sources' })
    expect(questions.items).toEqual([])
  })
})
