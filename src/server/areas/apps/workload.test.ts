import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { callFunction } from '#contract/functions.ts'
import { annotations, type Scene, startScene } from '#test/kubernetes/workload.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'

describe('AU-15 MA-15 the workload of an app', () => {
  let scene: Scene
  let shopToken: string
  let owner: string
  beforeAll(async () => {
    scene = await startScene()
    const { system, cluster, org_id } = scene
    owner = (await system.member('owner', org_id)).token
    const { id } = await system.client(owner).call(createApp, { alias: 'shop' })
    await system.client(owner).call(createApp, { alias: 'blog' })
    const account = cluster.serviceAccount('org-acme', 'shop', { ...annotations(org_id), 'svc/deployment': id })
    shopToken = cluster.token(account)
  })
  afterAll(() => scene?.[Symbol.asyncDispose]())

  const send = async (path: string, method = 'POST') => {
    const response = await fetch(`${scene.system.url}/api/deploy/deployments/${path}`, {
      method,
      headers: { authorization: `Bearer ${shopToken}`, 'content-type': 'application/x-ndjson' },
      ...(method === 'POST' && { body: '{"text":"hello"}\n' }),
    })
    const { detail } = (await response.json()) as { detail?: string }
    return [response.status, detail]
  }

  it('writes the log of its own app', async () => {
    expect(await send('shop/logs')).toEqual([200, undefined])
    const { items } = await scene.system.client(owner).call(searchLogs, { alias: 'shop' })
    expect(items.map(({ text }) => text)).toEqual(['hello'])
  })

  it('is refused for another app, whether it exists or not', async () => {
    const refused = [403, 'A workload may use this operation only for its own app.']
    expect(await send('blog/logs')).toEqual(refused)
    expect(await send('none/logs')).toEqual(refused)
  })

  it('AU-16 serves functions of its own app as a worker, and of no other', async () => {
    const client = scene.system.client(shopToken)
    const registration = { functions: [{ name: 'greet', input_schema: { type: 'object' } }] }
    await using worker = await connectRawWorker(client, 'shop', registration)
    const answer = scene.system.client(owner).call(callFunction, { alias: 'shop', name: 'greet' })
    const { call_id, fence } = await worker.nextCall()
    await worker.report({ call_id, fence, output: 'Hello' })
    expect(await answer).toMatchObject({ result: 'Hello' })
    const refused = { code: 'FORBIDDEN', message: 'A workload may use this operation only for its own app.' }
    await expect(connectRawWorker(client, 'blog', registration)).rejects.toMatchObject(refused)
  })

  it('is refused what only people may do, also in its own app', async () => {
    const refused = [403, 'Callers of kind workload may not use this operation.']
    expect(await send('shop', 'GET')).toEqual(refused)
    expect(await send('shop/environment', 'GET')).toEqual(refused)
    expect(await send('shop/logs', 'GET')).toEqual(refused)
  })
})
