import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { callTool, connectClient, PLATFORM_TOOLS, type Revision, sendMcp } from '#test/agents/mcp.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { programEnvironment } from '#test/programs/program-environment.ts'
import { ARTICLES, fakeLiteral, makeAskable } from '#test/sources/sources.ts'
import { type System, startSystem } from '#test/system.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const INSPECTOR = join(ROOT, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const QUESTION = { id: 'db_docs', query: 'sick', target: 'articles' }
const LONG = `
  create table long (id int primary key, title text, category text, embedding vector(8));
  insert into long select n, repeat('“Ärzte” 🚑 ', 500), 'leave', ${fakeLiteral('sick')} from generate_series(1, 20) n`

describe('known clients', () => {
  let fake: FakeEmbeddings
  let system: System
  let admin: Awaited<ReturnType<System['member']>>
  let viewer: Awaited<ReturnType<System['member']>>
  let platform: string
  let notifications: string

  beforeAll(async () => {
    fake = await startFakeEmbeddings()
    system = await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
    platform = `${system.url}/mcp/platform`
    notifications = `${system.url}/mcp/notifications`
    admin = await system.member('admin')
    viewer = await system.member('viewer', admin.org_id)
    await makeAskable(system.client(admin.token), 'docs', { sql: `${ARTICLES};${LONG}`, tables: ['articles', 'long'] })
    await addSource('payroll', 'admin')
    await addNotification('ntf_1')
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await fake?.[Symbol.asyncDispose]()
  })

  async function addSource(name: string, minRole: string): Promise<void> {
    await system.db.query(sql`
      insert into data_sources.sources
        (id, org_id, database_name, name, description, exposed, min_role, filter_schema, created_at, updated_at)
      values (${`ds_${name}`}, ${admin.org_id}, ${name}, ${name}, ${'d'.repeat(1000)}, true, ${minRole},
              '{"category": "string"}', now(), now())`)
  }

  async function addNotification(id: string): Promise<void> {
    await system.db.query(sql`
      insert into notifications.inbox (id, event_id, org_id, user_id, event_type, subject, link, occurred_at)
      values (${id}, ${id}, ${viewer.org_id}, ${viewer.user_id}, 'deploy.failed', 'A deploy failed', 'https://app.test/x', now())`)
  }

  describe.each<Revision>(['2026-07-28', '2025-11-25'])('the official client, speaking %s', (revision) => {
    it('DS-23 lists the tools of the platform and asks', async () => {
      const client = await connectClient(platform, viewer.token, revision)
      expect(client.getNegotiatedProtocolVersion()).toBe(revision)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(PLATFORM_TOOLS)
      const answer = await client.callTool({ name: 'data_source_query', arguments: { ...QUESTION, top_k: 1 } })
      expect(answer.structuredContent).toEqual({
        count: 1,
        results: [{ id: '1', title: 'Sick days', metadata: { _score: 1, _target: 'articles' } }],
      })
      expect(answer.content).toEqual([{ type: 'text', text: JSON.stringify(answer.structuredContent) }])
      await client.close()
    })

    it('NO-13 lists the notifications of the caller and marks one read, twice alike', async () => {
      const client = await connectClient(notifications, viewer.token, revision)
      const { tools } = await client.listTools()
      expect(
        tools.map(({ name, annotations }) => [name, annotations!.readOnlyHint, annotations!.idempotentHint]),
      ).toEqual([
        ['notifications_list', true, true],
        ['notifications_ack', false, true],
      ])
      const listed = await client.callTool({ name: 'notifications_list', arguments: { limit: 1 } })
      expect(listed.structuredContent).toMatchObject({ items: [{ id: 'ntf_1', subject: 'A deploy failed' }] })
      const first = await client.callTool({ name: 'notifications_ack', arguments: { id: 'ntf_1' } })
      const second = await client.callTool({ name: 'notifications_ack', arguments: { id: 'ntf_1' } })
      expect(second.structuredContent).toEqual(first.structuredContent)
      await client.close()
      const other = await connectClient(notifications, admin.token, revision)
      const others = await other.callTool({ name: 'notifications_ack', arguments: { id: 'ntf_1' } })
      expect([others.isError, others.content]).toEqual([
        true,
        [{ type: 'text', text: expect.stringMatching(/^NOT_FOUND: /) }],
      ])
      await other.close()
    })
  })

  it('DS-23 the example of the guide asks with the official client', async () => {
    const guide = readFileSync(join(ROOT, 'docs', 'connect-an-agent.md'), 'utf8')
    const example = /^```js\n([\s\S]*?)^```$/m.exec(guide)![1]!.replace('db_handbook', 'db_docs')
    const args = ['--input-type=module', '--eval', example]
    const env = { PATH: process.env.PATH, SVC_URL: system.url, SVC_TOKEN: viewer.token }
    const { stdout } = await run(process.execPath, args, { env, cwd: ROOT })
    expect(JSON.parse(stdout)).toHaveProperty('results')
  })

  const inspect = async (...args: string[]) => {
    const header = `Authorization: Bearer ${viewer.token}`
    const all = ['--cli', platform, '--transport', 'http', '--header', header, ...args]
    return JSON.parse(
      (
        await run(process.execPath, [INSPECTOR, ...all], {
          env: programEnvironment,
        })
      ).stdout,
    ) as {
      tools?: { name: string }[]
      structuredContent?: unknown
    }
  }

  it('DS-23 the Inspector lists the tools and asks', async () => {
    const { tools } = await inspect('--method', 'tools/list')
    expect(tools!.map(({ name }) => name)).toEqual(PLATFORM_TOOLS)
    const args = ['--tool-arg', 'id=db_docs', 'query=sick', 'target=articles', 'top_k=1']
    const { structuredContent } = await inspect('--method', 'tools/call', '--tool-name', 'data_source_query', ...args)
    expect(structuredContent).toMatchObject({ count: 1, results: [{ id: '1', title: 'Sick days' }] })
  })

  it('DS-19 DS-23 a question over MCP leaves Activity with the Source mcp', async () => {
    const asker = await system.member('viewer', admin.org_id)
    await callTool(platform, asker.token, 'data_source_query', QUESTION)
    const { items } = await system.client(asker.token).call(listActivity, { type: 'data_sources' })
    expect(items).toMatchObject([{ source: 'mcp' }])
  })

  it('DS-23 MCP refuses in the words of HTTP', async () => {
    const questions = [
      { id: 'db_payroll', query: 'sick' },
      { id: 'db_none', query: 'sick' },
      { ...QUESTION, filters: { shoe: 1 } },
      { ...QUESTION, target: 'none' },
      { ...QUESTION, top_k: 21 },
      { ...QUESTION, query: '' },
    ]
    for (const input of questions) {
      const refusal = await system
        .client(viewer.token)
        .call(querySource, input)
        .catch((error: unknown) => error)
      const { code, message } = refusal as { code: string; message: string }
      const { body } = await callTool(platform, viewer.token, 'data_source_query', input)
      expect(body.result).toMatchObject({ isError: true, content: [{ type: 'text', text: `${code}: ${message}` }] })
    }
    const unknown = await callTool(platform, viewer.token, 'data_source_query', { ...QUESTION, limit: 3 })
    const text = 'INVALID_REQUEST: limit: unknown key'
    expect(unknown.body.result).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
    const none = await callTool(platform, viewer.token, 'drop_everything')
    expect(none.body.error).toMatchObject({ code: -32602, message: 'Unknown tool: drop_everything.' })
  })

  it('DS-23 a viewer sees every tool, and sources only as far as the role goes', async () => {
    const listed = async (token: string) => {
      const { body } = await callTool(platform, token, 'data_sources_list')
      return (body.result!.structuredContent as { items: { id: string }[] }).items.map(({ id }) => id)
    }
    expect(await listed(viewer.token)).toEqual(['db_docs'])
    expect(await listed(admin.token)).toEqual(['db_docs', 'db_payroll'])
  })

  it('DS-16 a long answer is cut to 16 KiB of its text block, and says so', async () => {
    const input = { ...QUESTION, target: 'long', top_k: 20 }
    const { body } = await callTool(platform, viewer.token, 'data_source_query', input)
    const { content, structuredContent } = body.result as {
      content: { text: string }[]
      structuredContent: { truncated: boolean; note: string }
    }
    const bytes = Buffer.byteLength(content[0]!.text)
    expect(bytes).toBeLessThanOrEqual(16_384)
    expect(bytes).toBeGreaterThan(15_000)
    expect(structuredContent).toMatchObject({ truncated: true, note: expect.stringContaining('cut to') })
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent)
  })

  it('DS-23 the list of tools stays under 1.5 KB a tool and the same, whatever the number of sources', async () => {
    const before = JSON.stringify((await sendMcp(platform, admin.token)).body.result)
    for (let n = 0; n < 90; n++) await addSource(`s${n}`, 'viewer')
    const { result } = (await sendMcp(platform, admin.token)).body
    expect(JSON.stringify(result)).toBe(before)
    expect(Buffer.byteLength(before)).toBeLessThanOrEqual(PLATFORM_TOOLS.length * 1536)
    expect(result).toMatchObject({ cacheScope: 'private', ttlMs: 60_000 })
    for (const tool of result!.tools as { outputSchema: { type: string } }[])
      expect(tool.outputSchema.type).toBe('object')
    const own = JSON.stringify((await sendMcp(notifications, admin.token)).body.result)
    expect(Buffer.byteLength(own)).toBeLessThanOrEqual(4096)
  })

  it('only POST is taken, JSON alone, and no token in the address', async () => {
    const headers = { authorization: `Bearer ${viewer.token}` }
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(platform, { method, headers: { ...headers, accept: 'text/event-stream' } })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    const text = await fetch(platform, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(text.status).toBe(415)
    const broken = await fetch(platform, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"jsonrpc":',
    })
    expect([broken.status, await broken.json()]).toMatchObject([400, { id: null, error: { code: -32700 } }])
    for (const name of ['access_token', 'token']) {
      expect((await sendMcp(`${platform}?${name}=${viewer.token}`, undefined)).status).toBe(401)
      expect((await sendMcp(`${platform}?${name}=${viewer.token}`, viewer.token)).body.detail).toBe(
        `${name}: unknown key`,
      )
    }
  })
})
