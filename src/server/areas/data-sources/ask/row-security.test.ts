import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

const SWITCHED_ON = {
  code: 'SOURCE_CHANGED',
  message:
    'Row-level security was switched on after this data source was configured. Save its search configuration again.',
}

let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeSource>>
const run = (text: string) => runIn(source.connection_string, text)

beforeAll(async () => {
  system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '1000' } })
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'rows', 'select 1')
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

async function makeTable(more: string, table = 'note'): Promise<string[]> {
  await run(`
    drop table if exists note cascade;
    create table note (id int, title text, embedding vector(384));
    insert into note select n, 'note ' || n, array_fill(0.1, array[384])::vector from generate_series(1, 3) n;
    ${more}`)
  const { warnings } = await client.call(configureSource, {
    id: source.id,
    connection_config: { embedding_configs: [entry({ table })] },
    filter_schema: { title: 'string' },
  })
  return warnings
}

const ask = (filters: Record<string, string> = {}) =>
  client.call(querySource, { id: source.source_id, query: 'anything', filters })
const ids = async () => (await ask()).results.map(({ id }) => id)

describe('DS-15 row-level security', () => {
  it.each([
    ['no index', 'select 1'],
    ['an index', 'create index on note using hnsw (embedding vector_cosine_ops)'],
  ])('switched on after saving is an error in words, not an answer without hits (%s)', async (_, index) => {
    await makeTable(index)
    expect(await ids()).toEqual(['1', '2', '3'])
    await run('alter table note enable row level security')
    await expect(ask()).rejects.toMatchObject(SWITCHED_ON)
    await expect(ask({ title: 'note 1' })).rejects.toMatchObject(SWITCHED_ON)
    await run('create policy visible on note using (id > 1)')
    await expect(ask()).rejects.toMatchObject(SWITCHED_ON)
    await run('alter table note disable row level security')
    expect(await ids()).toEqual(['1', '2', '3'])
  })

  it('that was there when the configuration was saved shows the rows of its policies', async () => {
    const policy = 'alter table note enable row level security; create policy visible on note using (id > 1)'
    expect(await makeTable(policy)).toContainEqual(expect.stringContaining('has row-level security: only rows'))
    expect(await ids()).toEqual(['2', '3'])
    expect((await ask({ title: 'note 1' })).count).toBe(0)
    await run('alter table note disable row level security')
    expect(await ids()).toEqual(['1', '2', '3'])
  })

  it('whose last policy is dropped after saving is an error, not an answer without hits', async () => {
    await makeTable('alter table note enable row level security; create policy visible on note using (id > 1)')
    await run('drop policy visible on note')
    await expect(ask()).rejects.toMatchObject({
      code: 'SOURCE_CHANGED',
      message:
        'The last row-level security policy that showed rows was dropped after this data source was configured. Save its search configuration again.',
    })
    await run('create policy visible on note for update using (true)')
    await expect(ask()).rejects.toMatchObject({ code: 'SOURCE_CHANGED' })
    await run('create policy readers on note for select using (id = 3)')
    expect(await ids()).toEqual(['3'])
  })

  it('of a table below a view is found out when the view is saved, and noticed when it comes later', async () => {
    const view = 'create view shown as select * from note'
    const forced = 'alter table note enable row level security; alter table note force row level security'
    const policy = 'create policy visible on note using (id > 1)'
    expect(await makeTable(`${view}; ${forced}; ${policy}`, 'shown')).toContainEqual(
      'public.shown reads a table with row-level security: only rows that its policies show are found',
    )
    expect(await ids()).toEqual(['2', '3'])
    expect(await makeTable(view, 'shown')).not.toContainEqual(expect.stringContaining('row-level security'))
    expect(await ids()).toEqual(['1', '2', '3'])
    await run(forced)
    await expect(ask()).rejects.toMatchObject(SWITCHED_ON)
  })
})
