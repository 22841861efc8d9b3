import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { askHttp, openAgent } from '#test/agents/askers.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

/** Statements that the platform sent to its store, in order. */
const statements: string[] = []

function watched(db: Db): Db {
  const note = <Row>({ query }: Pick<Tx, 'query'>, statement: Sql) => {
    statements.push(statement.text.replace(/\s+/g, ' ').trim())
    return query<Row>(statement)
  }
  return {
    ...db,
    query: (statement) => note(db, statement),
    tx: (run, options) => db.tx((tx) => run({ ...tx, query: (statement: Sql) => note(tx, statement) } as Tx), options),
  }
}

/** Loops, and how questions ended, which is written in gathered batches some time later. */
const ASIDE = /svc\.|^update activity\./

let test: TestDatabase
let system: System
let viewer: string

beforeAll(async () => {
  test = await openTestDatabase()
  // Time stands still, so that what is kept for seconds is kept.
  const now = new Date()
  system = await startSystem({ on: { db: watched(test.db), databaseUrl: test.url }, clock: { now: () => now } })
  const admin = await system.member('admin')
  viewer = (await system.member('viewer', admin.org_id)).token
  const other = await system.member('admin')
  await addSource('ds_open', admin.org_id, 'open', { min_role: 'viewer' })
  await addSource('ds_high', admin.org_id, 'high', { min_role: 'admin' })
  await addSource('ds_hidden', admin.org_id, 'hidden', { exposed: false })
  await addSource('ds_high_hidden', admin.org_id, 'high_hidden', { exposed: false, min_role: 'admin' })
  await addSource('ds_off', admin.org_id, 'off', { enabled: false })
  await addSource('ds_theirs', other.org_id, 'theirs', {})
  // The first question fills what is kept.
  await askHttp(system.url, viewer, { query: 'x' }, 'db_open')
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await test?.[Symbol.asyncDispose]()
})

type Source = { exposed?: boolean; enabled?: boolean; min_role?: string }

async function addSource(id: string, orgId: string, name: string, of: Source): Promise<void> {
  const { exposed = true, enabled = true, min_role = 'viewer' } = of
  await test.db.query(sql`
    insert into data_sources.sources
      (id, org_id, database_name, name, enabled, exposed, min_role, filter_schema, created_at, updated_at)
    values (${id}, ${orgId}, ${name}, ${name}, ${enabled}, ${exposed}, ${min_role}, '{"category": "string"}', now(), now())`)
}

/** Asks again when loops that take their first turns came between. A question that needs more than two never ends. */
async function look(id: string, body: object) {
  return until(async () => {
    const seen = await lookOnce(id, body)
    return seen.ran.length === 2 && seen
  })
}

/** Everything a caller can see, but the time and the request's own number; and what it took to find it out. */
async function lookOnce(id: string, body: object) {
  statements.length = 0
  const response = await askHttp(system.url, viewer, body, id)
  const ran = statements.filter((text) => !ASIDE.test(text))
  const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
  const text = (await response.text()).replace(/req_[0-9a-z]{26}/, 'req_')
  return { status: response.status, headers, text, ran }
}

const GONE = [
  'db_none',
  'ds_none',
  'db_hidden',
  'ds_hidden',
  'db_high_hidden',
  'db_off',
  'ds_off',
  'db_theirs',
  'ds_theirs',
]
const BODIES = [
  { query: 'x' },
  { query: 'x', filters: { category: 'y' } },
  { query: 'x', filters: { nope: 1 }, target: 'nope', top_k: 20 },
]

describe('DS-17 what is not there for the caller', () => {
  it.each(BODIES)('is the same bytes after the same statements, asked %j', async (body) => {
    const unknown = await look('db_unknown', body)
    expect(unknown.status).toBe(404)
    expect(JSON.parse(unknown.text)).toMatchObject({ code: 'NOT_FOUND', detail: 'No such data source.' })
    const [search, record, ...more] = unknown.ran
    expect(search).toContain('data_sources.sources')
    expect(record).toContain('insert into activity.records')
    expect(more).toEqual([])
    for (const id of GONE) expect([id, await look(id, body)]).toEqual([id, unknown])
  })

  it('is told apart from a source below the caller’s role, which says so', async () => {
    const high = await look('db_high', BODIES[0]!)
    expect(high.status).toBe(403)
    expect(JSON.parse(high.text)).toMatchObject({
      code: 'FORBIDDEN',
      detail: expect.stringContaining('needs the role'),
    })
  })

  it('DS-23 is the same to an agent', async () => {
    await using agent = await openAgent(system.url, viewer)
    const ask = (id: string) => agent.callTool({ name: 'data_source_query', arguments: { id, query: 'x' } })
    const unknown = await ask('db_unknown')
    expect(unknown).toMatchObject({ isError: true })
    for (const id of GONE) expect([id, await ask(id)]).toEqual([id, unknown])
  })

  it('leaves records that do not tell the caller which it was', async () => {
    const { items } = await system.client(viewer).call(listActivity, { type: 'data_sources', limit: 100 })
    expect([...new Set(items.map(({ target }) => target))].sort()).toEqual(['db_high', 'db_open', 'unknown'])
  })
})
