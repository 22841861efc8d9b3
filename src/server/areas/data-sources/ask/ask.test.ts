import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createEmbeddings } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { findSecrets } from '#test/canary.ts'
import { type System, startSystem } from '#test/system.ts'

const MODEL = 'builtin/all-minilm-l6-v2'
const ROWS: [id: number, title: string, body: string, category: string, year: number, published: boolean][] = [
  [1, 'Sick days', 'Stay at home when you are ill and tell your manager in the morning.', 'leave', 2024, true],
  [2, 'Company cars', 'Vehicles are booked at reception and returned with a full tank.', 'travel', 2023, true],
  [3, 'Passwords', 'Use the password manager and never share a login.', 'security', 2024, true],
  [4, 'Parental time', 'New parents get sixteen weeks away from work.', 'leave', 2025, false],
]

describe('asking a source', () => {
  let system: System
  let admin: Client
  let viewer: Client
  let org: string
  let viewerToken: string

  beforeAll(async () => {
    system = await startSystem()
    const adminMember = await system.member('admin')
    org = adminMember.org_id
    admin = system.client(adminMember.token)
    viewerToken = (await system.member('viewer', org)).token
    viewer = system.client(viewerToken)
    await makeSource(admin, 'handbook')
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function makeSource(client: Client, name: string): Promise<void> {
    await client.call(createDatabase, { name })
    const { connection_string } = await client.call(readConnection, { name })
    const { data } = await client.call(createEmbeddings, {
      model: MODEL,
      input: ROWS.map(([, title, body]) => `${title} ${body}`),
    })
    const db = new pg.Client({ connectionString: connection_string })
    await db.connect()
    await db.query(`create table articles (id int primary key, title text, body text, category text, year int,
      published boolean, seen timestamptz default '2026-01-02T03:04:05Z', hidden text default 'the hidden column',
      embedding vector(384))`)
    for (const [i, row] of ROWS.entries()) {
      const values = [...row, `[${(data[i]!.embedding as number[]).join(',')}]`]
      await db.query(
        'insert into articles (id, title, body, category, year, published, embedding) values ($1, $2, $3, $4, $5, $6, $7)',
        values,
      )
    }
    await db.query(`insert into articles (id, title, embedding) values (99, 'no vector', null)`)
    await db.end()
    await client.call(switchSource, { name, enabled: true })
    await client.call(configureSource, {
      id: `db_${name}`,
      connection_config: {
        embedding_configs: [
          {
            label: 'articles',
            table: 'articles',
            model: MODEL,
            dimensions: 384,
            content_columns: 'id, title, body, year, published, seen',
          },
        ],
      },
      filter_schema: { category: 'string', year: 'number', published: 'boolean' },
    })
    await client.call(exposeSource, { id: `db_${name}`, exposed: true, min_role: 'viewer' })
  }

  const ask = (query: string, more: object = {}, client = viewer) =>
    client.call(querySource, { id: 'db_handbook', query, ...more })

  it('DS-10 answers the nearest first, with what was configured and nothing else', async () => {
    const { count, results } = await ask('what if I have the flu?')
    expect(count).toBe(4)
    expect(results[0]).toEqual({
      id: '1',
      title: 'Sick days',
      metadata: {
        body: ROWS[0]![2],
        year: 2024,
        published: true,
        seen: '2026-01-02T03:04:05.000Z',
        _score: expect.any(Number),
        _target: 'articles',
      },
    })
    const scores = results.map(({ metadata }) => metadata._score as number)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(JSON.stringify(results)).not.toContain('hidden')
  })

  it('DS-10 YAML by default, JSON on request', async () => {
    const send = (accept?: string) =>
      fetch(`${system.url}/api/wf/slim/data-sources/db_handbook/query`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${viewerToken}`,
          'content-type': 'application/json',
          ...(accept && { accept }),
        },
        body: JSON.stringify({ query: 'cars', top_k: 1 }),
      })
    const yaml = await send()
    expect(yaml.headers.get('content-type')).toBe('application/yaml')
    expect(parse(await yaml.text())).toMatchObject({ count: 1, results: [{ id: '2' }] })
    expect(await (await send('application/json')).json()).toMatchObject({ count: 1, results: [{ id: '2' }] })
  })

  it('DS-13 filters are exact; a list means either; all columns must match', async () => {
    const ids = async (filters: object) => (await ask('work', { filters })).results.map(({ id }) => id).sort()
    expect(await ids({ category: 'leave' })).toEqual(['1', '4'])
    expect(await ids({ category: ['leave', 'travel'], published: true })).toEqual(['1', '2'])
    expect(await ids({ year: [2023, 2025] })).toEqual(['2', '4'])
    expect(await ids({ category: 'LEAVE' })).toEqual([])
    await expect(ids({ hidden: 'x' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('category (string)'),
    })
    expect(await ids({ year: '1e308' })).toEqual([])
    expect(await ids({ year: ['2023', 2025] })).toEqual(['2', '4'])
    await expect(ids(JSON.parse('{"__proto__": "x"}') as object)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(ids({ year: 'soon' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(ids({ year: 1e308 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('DS-13 of several values the ones a column cannot hold leave out nothing that the others find', async () => {
    const found = async (year: (number | string)[]) =>
      (await ask('work', { filters: { year } })).results.map(({ id }) => id).sort()
    expect(await found([2024])).toEqual(['1', '3'])
    expect(await found([1.5, 2024, '1e300'])).toEqual(['1', '3'])
    expect(await found([1.5, '1e300'])).toEqual([])
    expect((await ask('work', { filters: { year: [2024, 1.5], category: 'leave' } })).count).toBe(1)
  })

  it('DS-12 top_k is 1 to 20, and what is outside is refused with the limit', async () => {
    expect((await ask('work', { top_k: 2 })).count).toBe(2)
    const refusal = (top_k: unknown) => ask('x', { top_k }).catch((error: unknown) => error)
    expect(await refusal(0)).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ path: 'top_k', message: 'must be at least 1' }],
    })
    expect(await refusal(21)).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ path: 'top_k', message: 'must be at most 20' }],
    })
    for (const top_k of [1.5, '10', null]) {
      expect(await refusal(top_k)).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ path: 'top_k' }] })
    }
  })

  it('DS-14 an unknown target lists the labels', async () => {
    expect((await ask('work', { target: 'articles', top_k: 1 })).count).toBe(1)
    await expect(ask('work', { target: 'nope' })).rejects.toMatchObject({
      message: 'target: unknown label. Labels: articles',
    })
  })

  it('DS-17 unknown, unexposed and switched off are one 404; below the role is 403; unconfigured says so', async () => {
    const gone = { code: 'NOT_FOUND', message: 'No such data source.' }
    await expect(ask('x', { id: 'db_none' })).rejects.toMatchObject(gone)
    await admin.call(exposeSource, { id: 'db_handbook', exposed: false })
    await expect(ask('x')).rejects.toMatchObject(gone)
    await admin.call(exposeSource, { id: 'db_handbook', exposed: true, min_role: 'admin' })
    await expect(ask('x')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await admin.call(exposeSource, { id: 'db_handbook', exposed: true, min_role: 'viewer' })
    await admin.call(createDatabase, { name: 'empty' })
    await admin.call(switchSource, { name: 'empty', enabled: true })
    await expect(ask('x', { id: 'db_empty' })).rejects.toMatchObject(gone)
    await admin.call(exposeSource, { id: 'db_empty', exposed: true, min_role: 'viewer' })
    await expect(ask('x', { id: 'db_empty' })).rejects.toMatchObject({
      code: 'NO_SEARCH_CONFIGURED',
      status: 409,
      message: 'this data source has no semantic search configured',
    })
  })

  it.each([
    ['of a column', 'rename column body to text', 'rename column text to body'],
    [
      'of the dimensions',
      `alter column embedding type vector(3) using '[1,2,3]'::vector(3)`,
      'alter column embedding type vector(384) using array_fill(0.1, array[384])::vector(384)',
    ],
    [
      'of some dimensions, where none are declared',
      `alter column embedding type vector using case id when 1 then '[1,2,3]'::vector else embedding end`,
      'alter column embedding type vector(384) using array_fill(0.1, array[384])::vector(384)',
    ],
    [
      'of the vectors to another type',
      'alter column embedding type real[] using embedding::real[]',
      'alter column embedding type vector(384) using embedding::vector(384)',
    ],
    ['of the type of a filter', 'alter column year type text', 'alter column year type int using year::int'],
  ])('DS-11 a change %s after saving answers a clean error', async (_, change, back) => {
    const { connection_string } = await admin.call(readConnection, { name: 'handbook' })
    const db = new pg.Client({ connectionString: connection_string })
    await db.connect()
    await db.query(`alter table articles ${change}`)
    const refused = await ask('x', { filters: { year: 2024 } }).catch((error: unknown) => error)
    await db.query(`alter table articles ${back}`)
    await db.end()
    expect(refused).toMatchObject({
      code: 'SOURCE_CHANGED',
      status: 409,
      message: 'The database changed after this data source was configured. Save its search configuration again.',
    })
    expect((await ask('x', { filters: { year: 2024 } })).count).toBe(2)
  })

  it('DS-19 no question or filter value is in any table or log line', async () => {
    await ask('xylophone-question-canary', { filters: { category: 'xylophone-filter-canary' } })
    await ask('xylophone-question-canary', { filters: { nope: 'xylophone-filter-canary' } }).catch(() => undefined)
    const canaries = ['xylophone-question-canary', 'xylophone-filter-canary']
    expect(await findSecrets(system.db, system.logs, canaries)).toEqual([])
  })
})
