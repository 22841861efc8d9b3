import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { type System, startSystem } from '#test/system.ts'

const LABEL = 'odd "label"; drop table t --'
const many = JSON.stringify(Array.from({ length: 100_000 }, () => 1))

/** Bodies of an attacker, byte for byte, each with the answer's status and code. */
const TABLE: [body: string, status: number, code: string | undefined][] = [
  ['{"query": "x"}', 200, undefined],
  ['{"query": "\'; drop table t; --"}', 200, undefined],
  ['{"query": "\\\\\\"; select 1"}', 200, undefined],
  ['{"query": "$1 $2 $3"}', 200, undefined],
  ['{"query": "%s%n%x"}', 200, undefined],
  ['{"query": "\u202e gnp.exe"}', 200, undefined],
  ['{"query": "👩‍👩‍👧‍👦 Ünïcödé 漢字"}', 200, undefined],
  ['{"query": ""}', 400, 'INVALID_REQUEST'],
  [`{"query": "${'x'.repeat(8001)}"}`, 400, 'INVALID_REQUEST'],
  ['{"query": "a\\u0000b"}', 400, 'INVALID_REQUEST'],
  ['{"query": "\\ud800"}', 400, 'INVALID_REQUEST'],
  ['{"query": null}', 400, 'INVALID_REQUEST'],
  ['{"query": ["x"]}', 400, 'INVALID_REQUEST'],
  ['{"query": {"$ne": 1}}', 400, 'INVALID_REQUEST'],
  ['{"query": NaN}', 400, 'MALFORMED_REQUEST'],
  ['{"query": "x", "sql": "select 1"}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "__proto__": {"top_k": 99}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "constructor": {}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "id": "db_other"}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "top_k": 0}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "top_k": 21}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "top_k": 1e308}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "top_k": -1}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "top_k": 2.5}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "top_k": "10; drop table t"}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": []}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": null}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"secret": "x"}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"name\\" or true --": "x"}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"public.t.name": "x"}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"NAME": "x"}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"toString": "x"}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"__proto__": "x"}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"name": null}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"name": []}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"name": {"$gt": ""}}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"name": "\' or 1=1 --"}}', 200, undefined],
  ['{"query": "x", "filters": {"name": ["a", "{b,c}", "\\\\", "\\""]}}', 200, undefined],
  ['{"query": "x", "filters": {"year": 1e308}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"year": 9007199254740993}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"year": "9007199254740993"}}', 200, undefined],
  ['{"query": "x", "filters": {"year": "1e999999999"}}', 200, undefined],
  ['{"query": "x", "filters": {"year": "NaN"}}', 200, undefined],
  ['{"query": "x", "filters": {"year": 0.5}}', 200, undefined],
  ['{"query": "x", "filters": {"year": "2024"}}', 200, undefined],
  ['{"query": "x", "filters": {"year": "2024 or true"}}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "filters": {"year": "now()"}}', 400, 'INVALID_REQUEST'],
  [`{"query": "x", "filters": {"year": ${many}}}`, 400, 'INVALID_REQUEST'],
  ['{"query": "x", "target": "t"}', 400, 'INVALID_REQUEST'],
  ['{"query": "x", "target": "\' union select secret from t --"}', 400, 'INVALID_REQUEST'],
  [`{"query": "x", "target": ${JSON.stringify(LABEL)}}`, 200, undefined],
]

describe('DS-11 hostile input', () => {
  let system: System
  let token: string
  let connection: string

  beforeAll(async () => {
    // Every row is a question, refused ones not counted: more than a minute's share.
    system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '1000' } })
    const owner = await system.member('owner')
    token = owner.token
    connection = await prepare(system.client(token))
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function prepare(client: Client): Promise<string> {
    await client.call(createDatabase, { name: 'odd' })
    const { connection_string } = await client.call(readConnection, { name: 'odd' })
    const db = new pg.Client({ connectionString: connection_string })
    await db.connect()
    await db.query(`create table t (id int primary key, name text, year int, secret text, embedding vector(384))`)
    const zero = `[${Array.from({ length: 384 }, (_, n) => (n === 0 ? 1 : 0)).join(',')}]`
    await db.query(`insert into t values (1, 'a', 2024, 'the-hidden-canary', $1)`, [zero])
    await db.end()
    await client.call(switchSource, { name: 'odd', enabled: true })
    const entry = {
      label: LABEL,
      table: 't',
      model: 'builtin/all-minilm-l6-v2',
      dimensions: 384,
      content_columns: 'id, name',
    }
    await client.call(configureSource, {
      id: 'db_odd',
      connection_config: { embedding_configs: [entry] },
      filter_schema: { name: 'string', year: 'number' },
    })
    await client.call(exposeSource, { id: 'db_odd', exposed: true, min_role: 'viewer' })
    return connection_string
  }

  it.each(TABLE.map(([body, status, code]) => [body.slice(0, 70), body, status, code] as const))(
    '%s',
    async (_, body, status, code) => {
      const response = await fetch(`${system.url}/api/wf/slim/data-sources/db_odd/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
        body,
      })
      const text = await response.text()
      expect([response.status, (JSON.parse(text) as { code?: string }).code]).toEqual([status, code])
      expect(text).not.toMatch(/the-hidden-canary|syntax error|pg_catalog|embedding/)
    },
  )

  it('changed nothing', async () => {
    const db = new pg.Client({ connectionString: connection })
    await db.connect()
    const { rows } = await db.query('select id, name, year, secret from t')
    await db.end()
    expect(rows).toEqual([{ id: 1, name: 'a', year: 2024, secret: 'the-hidden-canary' }])
  })
})
