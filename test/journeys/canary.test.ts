import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity, setQuota } from '#contract/activity.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { askHttp, openAgent, openCli } from '#test/agents/askers.ts'
import { findInLogs, findInRedis, findSecrets } from '#test/canary.ts'
import { type Ground, openGround } from '#test/databases/ground.ts'
import { type FakeEmbeddings, fakeVector, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { makeSource, runIn } from '#test/sources/configured-source.ts'
import { stores } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

/**
 * In every question and filter value, and in every row. Letters and digits: no encoding but the ones looked for hides
 * them.
 */
const ASKED = `asked${randomBytes(12).toString('hex')}`
const ROW = `row${randomBytes(12).toString('hex')}`
/** In a statement that is allowed to be logged: shows that the log is one that would have told. */
const CONTROL = `control${randomBytes(12).toString('hex')}`

const vector = (text: string) => `[${fakeVector(text).join(',')}]`
const TABLES = `
  create type mood as enum ('calm', 'loud');
  create table articles (id int primary key, title text, body text, category text, ref uuid, mood mood, year int,
                         embedding vector(8));
  insert into articles
    select n, 'Title ${ROW} ' || n, 'Body ${ROW}', 'travel', null, 'calm', 2024, '${vector('a')}'
    from generate_series(1, 5) n;
  create view slow as select a.* from articles a, pg_sleep(60);
  create function complain(title text) returns boolean language plpgsql as
    $$ begin raise exception 'what a row: %', title; end $$;
  create view raising as select a.* from articles a where complain(a.title);
  create function cancel(title text) returns boolean language plpgsql as
    $$ begin raise exception 'late: %', title using errcode = '57014'; end $$;
  create view cancelling as select a.* from articles a where cancel(a.title)`

let ground: Ground
let fake: FakeEmbeddings
let system: System
let connection: string
const seen = { activity: [] as string[], metrics: '', statements: new Set<string>(), logBefore: 0 }
/** Each question with its answer. */
const answers: Record<string, unknown> = {}

beforeAll(async () => {
  ground = await openGround()
  fake = await startFakeEmbeddings()
  const providers = JSON.stringify([fake.provider('fake')])
  const env = { SVC_DATA_DIR: ground.dataDir, SVC_AI_PROVIDERS: providers, SVC_QUESTIONS_PER_MINUTE: '1000' }
  system = await startSystem({ on: ground, env })
  await askEverything()
  await system[Symbol.asyncDispose]()
})
afterAll(async () => {
  await fake?.[Symbol.asyncDispose]()
  await ground?.[Symbol.asyncDispose]()
})

async function askEverything(): Promise<void> {
  const admin = await system.member('admin')
  const viewer = await system.member('viewer', admin.org_id)
  await makeSources(admin.token)
  await ground.settle()
  seen.logBefore = ground.server?.log().length ?? 0
  const watcher = ground.server && (await watchStatements(ground.server.url))
  await askOverHttp(viewer.token)
  await configureUnknown(admin.token)
  await askByClient(viewer.token)
  await askAsAgent(viewer.token)
  await askWhileProviderFails(viewer.token)
  await askWhatChanged(viewer.token)
  await askSlowly(viewer.token, watcher)
  await system.operator.call(setQuota, { org_id: admin.org_id, per_minute: 1, per_day: 1 })
  answers['over the limit'] = await http(viewer.token, {})
  const { items } = await system.client(admin.token).call(listActivity, { type: 'data_sources', limit: 100 })
  seen.activity = items.map((item) => JSON.stringify(item))
  seen.metrics = await (await fetch(`${system.url}/metrics`)).text()
  await watcher?.stop()
}

async function makeSources(token: string): Promise<void> {
  const client = system.client(token)
  const docs = await makeSource(client, 'docs', TABLES)
  connection = docs.connection_string
  await makeSource(client, 'bare', 'select 1')
  const entry = { model: 'fake/fake-small', dimensions: 8, content_columns: 'id, title, body' }
  const embedding_configs = ['articles', 'slow', 'raising', 'cancelling'].map((table) => ({
    ...entry,
    label: table,
    table,
  }))
  const filter_schema = { category: 'string', ref: 'string', mood: 'string', year: 'number' } as const
  await client.call(configureSource, { id: 'db_docs', connection_config: { embedding_configs }, filter_schema })
  await client.call(exposeSource, { id: 'db_docs', exposed: true, min_role: 'viewer' })
  await client.call(exposeSource, { id: 'db_bare', exposed: true, min_role: 'viewer' })
}

let asked = 0
const question = (more: object = {}) => ({ query: `What of ${ASKED} ${asked++}?`, target: 'articles', ...more })

async function http(token: string, more: object | string, id?: string): Promise<number> {
  const body = typeof more === 'string' ? more : question(more)
  const response = await askHttp(system.url, token, body, id)
  const text = await response.text()
  if (response.ok && !('filters' in Object(body))) expect(text).toContain(ROW)
  return response.status
}

async function askOverHttp(token: string): Promise<void> {
  answers.good = await http(token, {})
  answers['a filter no row has'] = await http(token, { filters: { category: [ASKED, 'travel'] } })
  answers['a word for a uuid'] = await http(token, { filters: { ref: ASKED } })
  answers['a word no enum has'] = await http(token, { filters: { mood: ASKED } })
  answers['a number no int has'] = await http(token, { filters: { year: '1e300' } })
  answers['a number JSON cannot hold'] = await http(token, { filters: { year: 1e300 } })
  answers['a column that is none'] = await http(token, { filters: { [ASKED]: ASKED } })
  answers['a value of another type'] = await http(token, { filters: { year: ASKED } })
  answers['too many hits'] = await http(token, { top_k: 21 })
  answers['an unknown key'] = await http(token, { [ASKED]: ASKED })
  answers['an unknown target'] = await http(token, { target: ASKED })
  answers['half a body'] = await http(token, `{"query": "${ASKED}`)
  answers['a body too large'] = await http(token, JSON.stringify({ query: ASKED.repeat(100_000) }))
  answers['an unknown source'] = await http(token, {}, `db_${ASKED}`)
  answers['an unknown id of a source'] = await http(token, {}, `ds_${ASKED}`)
  answers['a question in place of an id'] = await http(token, {}, encodeURIComponent(`What of ${ASKED}?`))
  answers['an unknown source and too many hits'] = await http(token, { top_k: 21 }, `db_${ASKED}`)
  answers['no configuration'] = await http(token, {}, 'db_bare')
  answers['no token'] = await http('svc_wrong', {})
  answers['a view that complains of its rows'] = await http(token, { target: 'raising' })
  answers['a view that cancels over its rows'] = await http(token, { target: 'cancelling' })
}

async function configureUnknown(token: string): Promise<void> {
  const send = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = body ? { method: 'PUT', body: JSON.stringify(body) } : {}
    return (await fetch(`${system.url}${path}`, { ...init, headers })).status
  }
  answers['unknown sources of those who configure them'] = [
    await send(`/api/wf/data-sources/db_${ASKED}`),
    await send(`/api/wf/data-sources/db_${ASKED}`, { connection_config: { embedding_configs: [] } }),
    await send(`/api/wf/data-sources/db_${ASKED}/exposure`, { exposed: false }),
  ]
}

async function askByClient(token: string): Promise<void> {
  await using cli = await openCli(system.url, token)
  const ask = async (id: string, ...more: string[]) => {
    const { exit, stdout } = await cli.run('datasource', 'query', id, `Of ${ASKED}`, '--target', 'articles', ...more)
    return [exit, stdout.includes(ROW)]
  }
  answers['client: good'] = await ask('db_docs')
  answers['client: JSON and a filter'] = await ask('db_docs', '-o', 'json', '--filter', `category=${ASKED}`)
  answers['client: a bad filter'] = await ask('db_docs', '--filter', `${ASKED}=${ASKED}`)
  answers['client: an unknown source'] = await ask(`db_${ASKED}`)
}

async function askAsAgent(token: string): Promise<void> {
  await using agent = await openAgent(system.url, token)
  const ask = async (more: object) => {
    const result = await agent.callTool({ name: 'data_source_query', arguments: { ...question(more) } })
    return [result.isError ?? false, JSON.stringify(result.content).includes(ROW)]
  }
  answers['agent: good'] = await ask({ id: 'db_docs' })
  answers['agent: a bad filter'] = await ask({ id: 'db_docs', filters: { [ASKED]: ASKED } })
  answers['agent: an unknown source'] = await ask({ id: `db_${ASKED}` })
  fake.next.push({ status: 400 })
  answers['agent: the provider refuses'] = await ask({ id: 'db_docs' })
}

/** Its error bodies repeat what it was sent. */
async function askWhileProviderFails(token: string): Promise<void> {
  for (const status of [400, 401, 404, 502]) {
    fake.next.push({ status })
    answers[`the provider answers ${status}`] = await http(token, {})
  }
  fake.next.push({ status: 503 }, { status: 503 }, { status: 500 })
  answers['the provider fails three times'] = await http(token, {})
  fake.next.push('half')
  answers['the provider breaks off'] = await http(token, {})
  fake.next.push({ body: () => ({ error: `you sent ${ASKED}` }) })
  answers['the provider talks nonsense'] = await http(token, {})
  fake.next.push('silent')
  const caller = new AbortController()
  const waiting = askHttp(system.url, token, question(), 'db_docs', caller.signal)
  const before = fake.asked.length
  await until(() => fake.asked.length > before)
  caller.abort()
  answers['the caller hangs up'] = await waiting.catch((error: Error) => error.name)
}

async function askWhatChanged(token: string): Promise<void> {
  await runIn(connection, 'alter table articles rename column body to words')
  answers['a column was renamed'] = await http(token, {})
  await runIn(connection, 'alter table articles rename column words to body')
  await runIn(connection, 'drop view raising')
  answers['a view was dropped'] = await http(token, { target: 'raising' })
}

type Watcher = { cancelSlow(): Promise<void>; stop(): Promise<void> }

/**
 * On Postgres the statement is seen while it runs, then cancelled as by its time limit; the embedded engine is killed.
 */
async function askSlowly(token: string, watcher: Watcher | undefined): Promise<void> {
  const waiting = http(token, { target: 'slow', filters: { category: [ASKED, 'travel'] } })
  await watcher?.cancelSlow()
  answers['one that takes too long'] = await waiting
}

/** Reads what every backend of the server runs, over and over. */
async function watchStatements(url: string): Promise<Watcher> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  // Bound and logged as a question's values would be.
  await client.query('select $1::text', [CONTROL])
  const end = new AbortController()
  const watching = (async () => {
    while (!end.signal.aborted) {
      const { rows } = await client.query<{ query: string }>('select query from pg_stat_activity')
      for (const { query } of rows) seen.statements.add(query)
    }
  })().catch(() => undefined)
  const cancelSlow = async () => {
    const cancel = `select query, pg_cancel_backend(pid) as done from pg_stat_activity
      where query like '%"slow"%' and wait_event = 'PgSleep'`
    await until(async () => {
      const { rows } = await client.query<{ query: string }>(cancel)
      for (const { query } of rows) seen.statements.add(query)
      return rows.length > 0
    })
  }
  const stop = async () => {
    end.abort()
    await watching
    await client.end()
  }
  return { cancelSlow, stop }
}

describe('DS-19 the text of questions and answers', () => {
  it('every way to ask was tried', () => {
    expect(answers).toEqual({
      good: 200,
      'a filter no row has': 200,
      'a word for a uuid': 200,
      'a word no enum has': 200,
      'a number no int has': 200,
      'a number JSON cannot hold': 400,
      'a column that is none': 400,
      'a value of another type': 400,
      'too many hits': 400,
      'an unknown key': 400,
      'an unknown target': 400,
      'half a body': 400,
      'a body too large': 413,
      'an unknown source': 404,
      'an unknown id of a source': 404,
      'a question in place of an id': 404,
      'an unknown source and too many hits': 400,
      'unknown sources of those who configure them': [404, 404, 404],
      'no configuration': 409,
      'no token': 401,
      'a view that complains of its rows': 500,
      'a view that cancels over its rows': 503,
      'client: good': [0, true],
      'client: JSON and a filter': [0, false],
      'client: a bad filter': [5, false],
      'client: an unknown source': [4, false],
      'agent: good': [false, true],
      'agent: a bad filter': [true, false],
      'agent: an unknown source': [true, false],
      'agent: the provider refuses': [true, false],
      'the provider answers 400': 400,
      'the provider answers 401': 503,
      'the provider answers 404': 404,
      'the provider answers 502': 503,
      'the provider fails three times': 503,
      'the provider breaks off': 503,
      'the provider talks nonsense': 503,
      'the caller hangs up': 'AbortError',
      'a column was renamed': 409,
      'a view was dropped': 409,
      'one that takes too long': 503,
      'over the limit': 429,
    })
    expect(fake.asked.every(({ body }) => body.input[0]!.includes(ASKED))).toBe(true)
    expect(seen.activity.length).toBeGreaterThan(25)
  })

  it('is in no log line, no metric and no record of Activity', () => {
    expect(system.logs.length).toBeGreaterThan(25)
    expect(findInLogs(system.logs, [ASKED, ROW])).toEqual([])
    expect(findInLogs([seen.metrics], [ASKED, ROW], 'metrics')).toEqual([])
    expect(findInLogs(seen.activity, [ASKED, ROW], 'activity')).toEqual([])
    expect(seen.metrics).toContain('data-sources.query')
  })

  it('is in no statement that pg_stat_activity shows, and what was asked is not in the log of the server', () => {
    if (!ground.server) return expect(stores.postgres).toBeUndefined()
    expect([...seen.statements].filter((text) => text.includes('"slow"'))).not.toEqual([])
    expect(findInLogs([...seen.statements], [ASKED, ROW], 'pg_stat_activity')).toEqual([])
    const log = ground.server.log()
    expect(log).toContain(CONTROL)
    expect(log).toContain('data_sources.sources')
    expect(findInLogs([log], [ASKED], 'server log')).toEqual([])
    expect(findInLogs([log.slice(seen.logBefore)], [ROW], 'server log')).toEqual([])
  })

  it('is in no table, no file and no counter of the platform, and what was asked is in no file of the database either', async () => {
    expect(await ground.search([ROW], 'everywhere')).not.toEqual([])
    if (stores.redis) expect(await findInRedis(stores.redis, [ASKED, ROW])).toEqual([])
    if (ground.server) expect(await findSecrets(ground.db, [], [ASKED, ROW])).toEqual([])
    expect(await ground.search([ASKED], 'everywhere')).toEqual([])
    expect(await ground.search([ROW], 'platform')).toEqual([])
  })
})
