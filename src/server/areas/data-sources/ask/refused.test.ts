import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import type { Client } from '#contract/core/client.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { askHttp, openAgent } from '#test/agents/askers.ts'
import { findSecrets } from '#test/canary.ts'
import { makeSource } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const CANARY = 'xylophonerefused'

let system: System
let admin: Client
let token: string
let userId: string

beforeAll(async () => {
  system = await startSystem()
  const adminMember = await system.member('admin')
  admin = system.client(adminMember.token)
  const viewer = await system.member('viewer', adminMember.org_id)
  token = viewer.token
  userId = viewer.user_id
  await makeSource(admin, 'library', 'select 1')
  await admin.call(exposeSource, { id: 'db_library', exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

/** The records that `work` leaves, once their outcome is written. */
async function recordsOf(work: () => Promise<unknown>) {
  const list = async () => (await admin.call(listActivity, { type: 'data_sources', limit: 100 })).items
  const before = (await list()).length
  await work()
  const added = async () => (await list()).slice(0, -before || undefined)
  await until(async () => (await added()).every(({ status }) => status !== null))
  return added()
}

const record = (over: object) => ({
  id: expect.stringMatching(/^act_/),
  source: 'api',
  principal: { kind: 'api_token', id: expect.stringMatching(/^tok_/) },
  user_id: userId,
  user_name: expect.stringMatching(/^viewer-/),
  asked_at: expect.any(String),
  duration_ms: expect.any(Number),
  answer_bytes: 0,
  target: 'db_library',
  ...over,
})

describe('DS-19 a question refused by the input rules', () => {
  it.each([
    ['top_k outside its limits', { query: CANARY, top_k: 21 }, 400],
    ['an unknown key', { query: CANARY, [CANARY]: CANARY }, 400],
    ['no question', { filters: { title: CANARY } }, 400],
    ['a body that is no JSON', `{"query": "${CANARY}`, 400],
    ['a body that is no object', `["${CANARY}"]`, 400],
    ['a body that is too large', JSON.stringify({ query: CANARY.repeat(100_000) }), 413],
  ])('leaves one record with its status: %s', async (_, body, status) => {
    const records = await recordsOf(async () => {
      expect((await askHttp(system.url, token, body, 'db_library')).status).toBe(status)
    })
    expect(records).toEqual([record({ status })])
  })

  it('leaves one record with the Source mcp when an agent asks it', async () => {
    const records = await recordsOf(async () => {
      await using agent = await openAgent(system.url, token)
      const answer = await agent.callTool({
        name: 'data_source_query',
        arguments: { id: 'db_library', query: CANARY, top_k: 21 },
      })
      expect(answer).toMatchObject({
        isError: true,
        content: [{ text: 'INVALID_REQUEST: top_k: must be at most 20' }],
      })
    })
    expect(records).toEqual([record({ status: 400, source: 'mcp' })])
  })

  it.each([
    ['no id', { query: CANARY }],
    ['an id that is no text', { id: 42, query: CANARY }],
    ['no argument', undefined],
  ])('leaves one record with the Source mcp and no name when an agent sends %s', async (_, args) => {
    const records = await recordsOf(async () => {
      await using agent = await openAgent(system.url, token)
      const answer = await agent.callTool({ name: 'data_source_query', ...(args && { arguments: args }) })
      expect(answer).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^INVALID_REQUEST: id: /) }],
      })
    })
    expect(records).toEqual([record({ status: 400, source: 'mcp', target: 'unknown' })])
  })

  it.each(['text', ['list'], 7])('leaves one record when the arguments of an agent are %j', async (args) => {
    const records = await recordsOf(async () => {
      const answer = await fetch(`${system.url}/mcp/platform`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'data_source_query', arguments: args },
        }),
      })
      expect(await answer.text()).toContain('"error":{"code":-32')
    })
    expect(records).toEqual([record({ status: 400, source: 'mcp', target: 'unknown' })])
  })

  it.each([
    ['a source that does not exist', `db_${CANARY}`],
    ['text that is no id', encodeURIComponent(`${CANARY} ${CANARY}`)],
  ])('to %s is recorded without what was typed', async (_, id) => {
    const records = await recordsOf(async () => {
      expect((await askHttp(system.url, token, { query: CANARY, top_k: 21 }, id)).status).toBe(400)
      expect((await askHttp(system.url, token, { query: CANARY }, id)).status).toBe(404)
    })
    expect(records).toEqual([record({ target: 'unknown', status: 404 }), record({ target: 'unknown', status: 400 })])
  })

  it('is not recorded for a caller who is not signed in', async () => {
    const records = await recordsOf(async () => {
      expect((await askHttp(system.url, 'svc_wrong', { query: CANARY, top_k: 21 }, 'db_library')).status).toBe(401)
    })
    expect(records).toEqual([])
  })

  it('is not counted as asked and leaves no text in any table or log line', async () => {
    const counted = await system.db.query(sql`select id from activity.records where counted`)
    expect(counted).toEqual([])
    const sizes = await system.db.query<{ question_bytes: number }>(sql`
      select distinct question_bytes from activity.records where status <> 404`)
    expect(sizes).toEqual([{ question_bytes: 0 }])
    expect(await findSecrets(system.db, system.logs, [CANARY])).toEqual([])
  })
})
