import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client as McpClient } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { callFunction } from '#contract/functions.ts'
import { sql } from '#lib/db/sql.ts'
import { type Connector, startConnector } from '#test/agents/connector.ts'
import { connectClient } from '#test/agents/mcp.ts'
import { findSecrets } from '#test/canary.ts'
import { openTestDatabase } from '#test/database.ts'
import { startProcess } from '#test/programs/processes.ts'
import { needs } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import { packWorkers } from '#test/work/packed-worker.ts'
import type { Environment } from '../../src/server/config/reader.ts'

type Packed = Awaited<ReturnType<typeof packWorkers>>

describe('an agent and a worker that runs from the packed SDK', () => {
  let connector: Connector
  let packed: Packed
  let agentToken: string
  let env: Record<string, string>
  beforeAll(async () => {
    packed = await packWorkers()
    connector = await startConnector()
    const person = await connector.person('member')
    const { token } = await connector.system.member('developer', person.org_id)
    await connector.system.client(token).call(createApp, { alias: 'shop' })
    agentToken = (await connector.connect(person, await connector.client())).access_token
    env = { SVC_API_URL: connector.system.url, SVC_APP: 'shop', SERVER_API_TOKEN: token }
  })
  afterAll(async () => {
    await connector?.[Symbol.asyncDispose]()
    await packed?.[Symbol.asyncDispose]()
  })

  const agent = (revision: '2026-07-28' | '2025-11-25' = '2026-07-28') =>
    connectClient(`${connector.system.url}/mcp/platform`, agentToken, revision)
  const call = (client: McpClient, name: string, sent: object = {}) =>
    client.callTool({ name: 'function_call', arguments: { alias: 'shop', name, arguments: sent } })

  it.each(['2026-07-28', '2025-11-25'] as const)(
    'lists and calls a function with the protocol %s',
    async (revision) => {
      await using _ = await packed.start(env)
      const client = await agent(revision)
      const listed = await client.callTool({ name: 'functions_list', arguments: {} })
      const { items } = listed.structuredContent as { items: { name: string; connected: boolean }[] }
      expect(items.map(({ name, connected }) => [name, connected])).toEqual([
        ['again', true],
        ['greet', true],
        ['once', true],
      ])
      const answer = await call(client, 'greet', { name: 'Ada' })
      expect(answer.structuredContent).toMatchObject({ result: { text: 'Hello Ada' } })
      const refused = await call(client, 'greet', { name: 1 })
      expect(refused).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'INVALID_REQUEST: arguments.name: must be string' }],
      })
      await client.close()
    },
  )

  it('a call whose worker is killed ends with a typed error and never runs again, unless it is repeatable', async () => {
    const client = await agent()
    const first = await packed.start({ ...env, HANGS: '1' })
    const [once, again] = [call(client, 'once'), call(client, 'again')]
    await until(() => packed.runs().length === 2)
    await first[Symbol.asyncDispose]()
    await using _ = await packed.start(env)
    const { isError, content } = await once
    expect(isError).toBe(true)
    expect((content as { text: string }[])[0]!.text).toMatch(/^WORKER_LOST: The worker that ran the call was lost\./)
    expect((await again).structuredContent).toMatchObject({ result: 'done' })
    expect(packed.runs().sort()).toEqual(['again', 'again', 'once'])
    await client.close()
  })

  it('arguments and results are in no table and no log, during the call and after it', async () => {
    const client = await agent()
    const secret = `canary${randomBytes(8).toString('hex')}`
    await using _ = await packed.start({ ...env, HANGS: '1' })
    const { db, logs } = connector.system
    const leaving = new AbortController()
    const sent = { alias: 'shop', name: 'once', arguments: { secret } }
    const canceled = client
      .callTool({ name: 'function_call', arguments: sent }, { signal: leaving.signal })
      .catch(() => 'canceled')
    await until(async () => (await db.query(sql`select from pipelines.calls where state = 'running'`)).length > 0)
    expect(await findSecrets(db, logs, [secret])).toEqual([])
    expect((await call(client, 'greet', { name: secret })).structuredContent).toMatchObject({
      result: { text: `Hello ${secret}` },
    })
    leaving.abort()
    expect(await canceled).toBe('canceled')
    await until(async () => (await db.query(sql`select from pipelines.calls`)).length === 0)
    expect(await findSecrets(db, logs, [secret])).toEqual([])
    await client.close()
  })
})

needs('postgres', 'redis')('two processes of each service', () => {
  it('a worker of one serves calls that arrive at the other', async () => {
    await using stack = new AsyncDisposableStack()
    const packed = stack.use(await packWorkers())
    const database = stack.use(await openTestDatabase())
    const shared: Environment = { ...testEnvironment(database.url, ''), SVC_EXAMPLE: 'false' }
    const start = async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'svc-functions-'))
      stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
      return stack.use(await startProcess({ ...shared, SVC_DATA_DIR: dataDir }))
    }
    const [one, two] = [await start(), await start()]
    const clientOf = (url: string, token: string) =>
      createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
    const operator = clientOf(one.url, shared.SVC_OPERATOR_TOKEN!)
    const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Shops' })
    const asked = { org_id, email: 'dev@example.com', role: 'developer' as const, name: 'test' }
    const { token } = await operator.call(adminCreateToken, asked)
    await clientOf(one.url, token).call(createApp, { alias: 'shop' })
    stack.use(await packed.start({ SVC_API_URL: one.url, SVC_APP: 'shop', SERVER_API_TOKEN: token }))
    const call = (url: string, name: string) =>
      clientOf(url, token).call(callFunction, { alias: 'shop', name: 'greet', arguments: { name } })
    expect(await call(two.url, 'Ada')).toMatchObject({ result: { text: 'Hello Ada' } })
    const many = await Promise.all(Array.from({ length: 40 }, (_, i) => call(i % 2 ? one.url : two.url, `${i}`)))
    expect(many.map(({ result }) => result)).toEqual(many.map((_, i) => ({ text: `Hello ${i}` })))
  })
})
