import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askHttp, openAgent } from '#test/agents/askers.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { ARTICLES, makeAskable } from '#test/sources/sources.ts'
import { type System, startSystem } from '#test/system.ts'

/** The view runs an owner's function in the middle of each question, which reports what the question may do. */
const TABLES = `
  ${ARTICLES};
  create table attempts (text text);
  create table salaries (amount int);
  insert into salaries values (4200);
  create function attempt(command text) returns text language plpgsql as $$ begin
    execute command;
    return 'allowed';
  exception when others then return sqlstate;
  end $$;
  create function facts() returns text language sql as $$
    select json_build_object('own', current_user = session_user and current_user <> (
        select pg_get_userbyid(relowner) from pg_catalog.pg_class where relname = 'articles'),
      'superuser', (select rolsuper from pg_catalog.pg_roles where rolname = current_user),
      'read_only', current_setting('transaction_read_only'), 'timeout', current_setting('statement_timeout'),
      'path', current_setting('search_path'),
      'insert', public.attempt('insert into public.attempts values (1)'),
      'switched', public.attempt('set transaction read write; insert into public.attempts values (1)'),
      'other table', public.attempt('select amount from public.salaries'),
      'other column', public.attempt('select category from public.articles'),
      'table', public.attempt('create table public.mine (id int)'),
      'file', public.attempt('select pg_read_file(''PG_VERSION'')'),
      'program', public.attempt('copy public.articles to program ''true'''))::text $$;
  create view reports as select id, facts() as title, category, embedding from articles`

let fake: FakeEmbeddings
let system: System
let token: string
let connection: string
beforeAll(async () => {
  fake = await startFakeEmbeddings()
  system = await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
  token = (await system.member('admin')).token
  connection = (await makeAskable(system.client(token), 'docs', { sql: TABLES, tables: ['reports'] })).connection_string
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

const REPORTED = {
  own: true,
  superuser: false,
  read_only: 'on',
  timeout: '10s',
  path: 'pg_catalog',
  insert: '25006',
  switched: '25001',
  'other table': '42501',
  'other column': '42501',
  table: '25006',
  file: '42501',
  program: '42501',
}

describe('DS-21 a question', () => {
  it('runs read-only and bounded, as a role that may read the configured columns and nothing else', async () => {
    const response = await askHttp(system.url, token, { query: 'cars', top_k: 1 })
    const { results } = (await response.json()) as { results: { title: string }[] }
    expect(JSON.parse(results[0]!.title)).toEqual(REPORTED)
  })

  it('of an agent runs in the same way, and nothing of it stays', async () => {
    await using agent = await openAgent(system.url, token)
    const asked = { name: 'data_source_query', arguments: { id: 'db_docs', query: 'cars', top_k: 1 } }
    const { structuredContent } = await agent.callTool(asked)
    const { results } = structuredContent as { results: { title: string }[] }
    expect(JSON.parse(results[0]!.title)).toEqual(REPORTED)
    expect(await runIn(connection, 'select text from attempts')).toEqual([])
  })
})
