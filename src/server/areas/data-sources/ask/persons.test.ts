import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSupport } from '#contract/auth/support.ts'
import type { Client } from '#contract/core/client.ts'
import type { ServiceError } from '#contract/core/errors.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { entry, makeSource, readerOf, runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

const SETTINGS = { 'app.email': 'email', 'app.user_id': 'user_id', 'app.role': 'role' }
const NO_PERSON = {
  status: 403,
  code: 'FORBIDDEN',
  message: expect.stringContaining('this caller is no person whom svc knows'),
}

let system: System
let client: Client
let ann: { token: string; email: string; user_id: string; org_id: string }
let bob: typeof ann
let source: Awaited<ReturnType<typeof makeSource>>
const run = (text: string) => runIn(source.connection_string, text)

/** Ann and Bob have three rows each, the role admin sees the seventh, and nobody the eighth. */
beforeAll(async () => {
  system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '1000' } })
  ann = await system.member('owner')
  bob = await system.member('viewer', ann.org_id)
  client = system.client(ann.token)
  source = await makeSource(
    client,
    'rows',
    `create table note (id int, title text, owner text, embedding vector(384));
     insert into note select n, 'note ' || n, case when n <= 3 then '${ann.email}' when n <= 6 then '${bob.user_id}' end,
       array_fill(0.1, array[384])::vector from generate_series(1, 8) n;
     alter table note enable row level security;
     create policy own on note using (owner in (current_setting('app.email', true), current_setting('app.user_id')));
     create policy admins on note for select using (current_setting('app.role') = 'owner' and id = 7);
     create view shown as select * from note;
     create view invoked with (security_invoker) as select * from note;
     create materialized view stored as select * from note;
     create table part (id int, title text, owner text, embedding vector(384)) partition by list (id);
     create table part1 partition of part for values in (1);
     alter table part enable row level security;
     create policy own on part using (owner = current_setting('app.email'));
     create table plain (id int, title text, embedding vector(384));
     create table closed (id int, title text, embedding vector(384));
     alter table closed enable row level security;
     create table forced (id int, title text, owner text, embedding vector(384));
     alter table forced enable row level security;
     alter table forced force row level security;
     create policy own on forced using (owner = current_setting('app.email'));
     create table silent (id int, title text, owner text, embedding vector(384));
     alter table silent enable row level security;
     create policy every on silent using (true)`,
  )
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

const save = (table: string, person_settings?: Record<string, string>) =>
  client.call(configureSource, {
    id: source.id,
    connection_config: { embedding_configs: [entry({ table })], ...(person_settings && { person_settings }) },
    filter_schema: { id: 'number' },
  })
const ask = (token: string, filters: Record<string, number> = {}) =>
  system.client(token).call(querySource, { id: source.source_id, query: 'anything', filters })
const idsOf = async (token: string, filters?: Record<string, number>) =>
  (await ask(token, filters)).results.map(({ id }) => id)

describe('DS-28 rows by person', () => {
  it.each([
    ['no index', 'select 1'],
    ['an index', 'create index near on note using hnsw (embedding vector_cosine_ops)'],
  ])('show two persons of one source their own rows (%s)', async (_, index) => {
    await run(index)
    expect((await save('note', SETTINGS)).warnings).not.toContainEqual(expect.stringContaining('polic'))
    for (const _turn of [1, 2]) {
      expect(await idsOf(ann.token)).toEqual(['1', '2', '3', '7'])
      expect(await idsOf(bob.token)).toEqual(['4', '5', '6'])
    }
    expect(await Promise.all([ann, bob, ann, bob].map(({ token }) => idsOf(token)))).toEqual([
      ['1', '2', '3', '7'],
      ['4', '5', '6'],
      ['1', '2', '3', '7'],
      ['4', '5', '6'],
    ])
    expect(await idsOf(ann.token, { id: 2 })).toEqual(['2'])
    expect(await idsOf(bob.token, { id: 2 })).toEqual([])
  })

  it('are shown in the configuration, which can be sent back, and in its audit entry', async () => {
    const { connection_config } = await client.call(getSource, { id: source.id })
    expect(connection_config.person_settings).toEqual(SETTINGS)
    const [entered] = await system.db.query(sql`
      select detail from svc.audit where action = 'data_source.configured' order by at desc, id desc limit 1`)
    expect(entered).toEqual({ detail: { labels: ['a'], person_settings: SETTINGS } })
  })

  it('leave no claim of a person in the records of questions', async () => {
    const records = await system.db.query(sql`select to_json(r)::text as text from activity.records r`)
    expect(JSON.stringify(records)).toContain(ann.user_id)
    expect(JSON.stringify(records)).not.toContain('@example.com')
  })

  it('are refused to support sessions', async () => {
    const { token } = await system.operator.call(startSupport, {
      org_id: ann.org_id,
      staff_email: 'sam@vendor.example',
      reason: 'ticket 7',
    })
    await expect(ask(token)).rejects.toMatchObject(NO_PERSON)
  })

  it('are an error while row-level security does not hold', async () => {
    await run('alter table note disable row level security')
    await expect(ask(ann.token)).rejects.toMatchObject({
      code: 'SOURCE_CHANGED',
      message:
        'Row-level security was switched off, or stopped to hold for the role of questions, after this data source was configured. Save its search configuration again.',
    })
    await run('alter table note enable row level security; drop policy own on note; drop policy admins on note')
    await expect(ask(ann.token)).rejects.toMatchObject({ code: 'SOURCE_CHANGED' })
    await run(
      `create policy own on note using (owner in (current_setting('app.email'), current_setting('app.user_id')))`,
    )
    expect(await idsOf(ann.token)).toEqual(['1', '2', '3'])
  })

  it('are an error, not an answer without hits, where a policy fails for the person', async () => {
    await run(`create policy number on note as restrictive using (id < current_setting('app.user_id')::int)`)
    const failed = { code: 'SOURCE_CHANGED', message: expect.stringContaining('failed for you (22P02)') }
    await expect(ask(ann.token)).rejects.toMatchObject(failed)
    await expect(ask(ann.token, { id: 2 })).rejects.toMatchObject(failed)
    const refused = await save('note', SETTINGS).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'INVALID_SEARCH_CONFIGURATION' })
    const faults = JSON.stringify((refused as ServiceError).errors)
    expect(faults).toContain('a policy or a function failed for one of its rows (22P02)')
    expect(faults).not.toContain('invalid input')
    await run('drop policy number on note')
  })

  it('warn and are audited when a save leaves them out', async () => {
    expect((await save('note')).warnings).toContainEqual(expect.stringContaining('person_settings was removed'))
    const removed = sql`select actor from svc.audit where action = 'data_source.person_settings_removed'`
    expect(await system.db.query(removed)).toHaveLength(1)
    expect((await save('note')).warnings).not.toContainEqual(expect.stringContaining('person_settings'))
    expect(await system.db.query(removed)).toHaveLength(1)
  })

  it.each([
    [
      'a view',
      'shown',
      'public.shown is a view, which reads its tables as its owner: name the table that has the policies',
    ],
    ['a view of the caller', 'invoked', 'name the table that has the policies'],
    ['a materialized view', 'stored', 'public.stored is a materialized view or a foreign table, which has no policies'],
    ['a table without policies', 'plain', 'public.plain has no row-level security: alter table'],
    ['a table without a policy for the reader', 'closed', 'has row-level security and no policy that shows rows to'],
    ['a partition', 'part1', 'the policies of the partitioned table do not hold for a partition that is named itself'],
  ])('are refused for %s', async (_, table, message) => {
    await expect(save(table, SETTINGS)).rejects.toMatchObject({
      code: 'INVALID_SEARCH_CONFIGURATION',
      errors: expect.arrayContaining([
        { path: 'connection_config.embedding_configs.0.table', message: expect.stringContaining(message) },
      ]),
    })
  })

  it('work as the example of the guide', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../../../../docs/rows-by-person.md'), 'utf8')
    const block = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)![1]!
    await run(block('sql'))
    await run(`insert into notes select n, 'note ' || n, (array['${ann.email}', '${bob.email}'])[n],
      array_fill(0.1, array[384])::vector from generate_series(1, 2) n`)
    await client.call(configureSource, { id: source.id, ...JSON.parse(block('json')) })
    expect([await idsOf(ann.token), await idsOf(bob.token)]).toEqual([['1', '2'], ['2']])
  })

  it('are accepted for a partitioned table and for one that forces its owner', async () => {
    await run(`insert into part select 1, 'one', '${bob.email}', array_fill(0.1, array[384])::vector`)
    await save('part', { 'app.email': 'email' })
    expect([await idsOf(ann.token), await idsOf(bob.token)]).toEqual([[], ['1']])
    await save('forced', { 'app.email': 'email' })
    expect(await idsOf(bob.token)).toEqual([])
  })

  it('warn where no policy mentions a setting', async () => {
    const { warnings } = await save('silent', { 'app.email': 'email' })
    expect(warnings).toContainEqual(expect.stringContaining('no policy of public.silent mentions app.email'))
  })

  it.each([
    ['email', 'must be a prefix of your own, a dot and a name'],
    ['App.Email', 'must be a prefix of your own, a dot and a name'],
    ['app.email; reset all', 'must be a prefix of your own, a dot and a name'],
    [`app.${'x'.repeat(60)}`, 'must be a prefix of your own, a dot and a name'],
    ['search_path', 'must be a prefix of your own, a dot and a name'],
    ['pg_catalog.email', '"pg_catalog" is a prefix of Postgres, of an extension or of svc'],
    ['plpgsql.email', '"plpgsql" is a prefix'],
    ['hnsw.ef_search', '"hnsw" is a prefix'],
    ['ivfflat.probes', '"ivfflat" is a prefix'],
    ['vector.email', '"vector" is a prefix'],
    ['svc.email', '"svc" is a prefix'],
  ])('refuse the setting %s', async (name, message) => {
    await expect(save('note', { [name]: 'email' })).rejects.toMatchObject({
      errors: [
        {
          path: expect.stringContaining('connection_config.person_settings.'),
          message: expect.stringContaining(message),
        },
      ],
    })
  })

  it('refuse a claim that does not exist, and an empty mapping', async () => {
    await expect(save('note', { 'app.name': 'name' })).rejects.toMatchObject({
      errors: [{ path: 'connection_config.person_settings.app.name', message: 'must be email, user_id, role' }],
    })
    await expect(save('note', {})).rejects.toMatchObject({ code: 'INVALID_SEARCH_CONFIGURATION' })
  })
})

needs('postgres')('DS-28 a reader that bypasses row-level security', () => {
  const readerName = async () => new URL(await readerOf(system, source)).username

  it('is refused at the save and at the next question, and is no way around once it no longer does', async () => {
    await save('note', SETTINGS)
    expect(await idsOf(bob.token)).toEqual(['4', '5', '6'])
    await system.db.query({ text: `alter role ${await readerName()} bypassrls`, values: [], name: '' })
    await expect(ask(bob.token)).rejects.toMatchObject({ code: 'SOURCE_CHANGED' })
    await expect(save('note', SETTINGS)).rejects.toMatchObject({
      errors: [{ message: expect.stringContaining('the role that questions use bypasses the row-level security') }],
    })
    await system.db.query({ text: `alter role ${await readerName()} nobypassrls`, values: [], name: '' })
    for (const _ of [1, 2, 3, 4]) expect(await idsOf(bob.token)).toEqual(['4', '5', '6'])
  })
})
