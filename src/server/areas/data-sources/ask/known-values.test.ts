import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity, setQuota } from '#contract/activity.ts'
import { startSupport } from '#contract/auth/support.ts'
import { listKnownValues } from '#contract/data-sources/known-values.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const CONTENT = 'id, title, category, year, owner'
const FILTERS = { category: 'string', year: 'number', secret: 'string', title: 'string', owner: 'string' } as const
const TABLE = `
  create table articles (id int, title text, category text, year int, secret text, owner text, embedding vector(384));
  insert into articles
  select n, 'title ' || n, case n % 3 when 0 then 'leave' when 1 then 'travel' end, 2020 + n % 2, 'hidden ' || n, 'ann',
    array_fill(0.1, array[384])::vector from generate_series(1, 30) n;
  insert into articles values
    (31, 'no vector', 'unseen', 1999, '', 'ann', null),
    (32, 'zeros', 'unfindable', 1998, '', 'ann', array_fill(0, array[384])::vector)`

describe('CO-14 the known values of a filter column', () => {
  let system: System
  let owner: Awaited<ReturnType<System['member']>>
  let viewer: typeof owner
  let source: Awaited<ReturnType<typeof makeSource>>
  beforeAll(async () => {
    system = await startSystem({ env: { SVC_QUESTIONS_PER_MINUTE: '1000' } })
    owner = await system.member('owner')
    viewer = await system.member('viewer', owner.org_id)
    source = await makeSource(system.client(owner.token), 'docs', TABLE)
    await configure({})
    await expose('viewer')
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const configure = (person: object, content_columns = CONTENT) =>
    system.client(owner.token).call(configureSource, {
      id: source.id,
      connection_config: { embedding_configs: [entry({ content_columns })], ...person },
      filter_schema: FILTERS,
    })
  const expose = (min_role: 'viewer' | 'admin', exposed = true) =>
    system.client(owner.token).call(exposeSource, { id: source.id, exposed, min_role })
  const values = (column: string, by = viewer, more: object = {}) =>
    system.client(by.token).call(listKnownValues, { id: 'db_docs', column, ...more })
  const run = (text: string) => runIn(source.connection_string, text)
  const newest = async () => {
    const { items } = await system.client(owner.token).call(listActivity, { type: 'data_sources', limit: 1 })
    return items[0]
  }
  /** The end of a question is written a moment after its answer. */
  const endsWith = (status: number) =>
    until(async () => {
      const call = await newest()
      return call?.status === status && call.user_id === viewer.user_id && call.target === 'db_docs'
    })

  it('are those of rows that a question can find, without their number', async () => {
    expect(await values('category')).toEqual({ values: ['leave', 'travel'], complete: true })
    expect(await values('year')).toEqual({ values: ['2020', '2021'], complete: true })
    expect(await values('category', viewer, { target: 'a' })).toEqual({ values: ['leave', 'travel'], complete: true })
  })

  it('are none where there are more than twenty, and none that answers may shorten', async () => {
    expect(await values('title')).toEqual({ values: [], complete: false })
    await run(`update articles set category = repeat('x', 101) where id = 3`)
    expect(await values('category')).toEqual({ values: ['leave', 'travel'], complete: false })
    await run(`update articles set category = 'leave' where id = 3`)
  })

  it.each(['secret', 'embedding', 'articles', 'constructor', 'id'])(
    'are refused for %s, which questions cannot filter on or answers do not show',
    async (column) => {
      const refused = { status: 400, code: 'INVALID_REQUEST', errors: [{ path: 'column' }] }
      await expect(values(column)).rejects.toMatchObject(refused)
    },
  )

  it('are recorded like a question, also where they are refused', async () => {
    await values('category')
    await endsWith(200)
    await expect(values('secret')).rejects.toMatchObject({ status: 400 })
    await endsWith(400)
    await values('category')
    await endsWith(200)
    await expect(values('x'.repeat(301))).rejects.toMatchObject({ status: 400 })
    await endsWith(400)
    const stranger = await system.member('owner')
    await expect(values('category', stranger)).rejects.toMatchObject({ status: 404 })
  })

  it('are spent from the quota of questions', async () => {
    const other = await system.member('owner')
    const client = system.client(other.token)
    const few = await makeSource(client, 'docs', TABLE)
    const connection_config = { embedding_configs: [entry({ content_columns: CONTENT })] }
    await client.call(configureSource, { id: few.id, connection_config, filter_schema: FILTERS })
    await client.call(exposeSource, { id: few.id, exposed: true, min_role: 'viewer' })
    await system.operator.call(setQuota, { org_id: other.org_id, per_minute: 1, per_day: null })
    // A refusal of the column is not spent.
    await expect(values('secret', other)).rejects.toMatchObject({ status: 400 })
    expect(await values('year', other)).toEqual({ values: ['2020', '2021'], complete: true })
    await expect(values('year', other)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  })

  it('are refused below the role of the source, and where it is not exposed as where there is none', async () => {
    await expose('admin')
    await expect(values('category')).rejects.toMatchObject({ status: 403 })
    await expose('admin', false)
    const unexposed = await values('category', owner).catch((error) => error)
    expect(unexposed).toMatchObject({ status: 404, message: 'No such data source.' })
    await expose('viewer')
    const { token } = await system.operator.call(startSupport, {
      org_id: owner.org_id,
      staff_email: 'sam@vendor.example',
      reason: 'ticket 7',
    })
    await expect(values('category', { ...viewer, token })).rejects.toMatchObject({ status: 403 })
  })

  it('are those of the rows that the person sees, and of none once policies changed', async () => {
    await run(`
      update articles set owner = '${viewer.user_id}', category = 'mine' where id = 1;
      alter table articles enable row level security;`)
    await expect(values('category')).rejects.toMatchObject({ code: 'SOURCE_CHANGED' })
    await run(`create policy own on articles using (owner = current_setting('app.user_id'))`)
    await configure({ person_settings: { 'app.user_id': 'user_id' } })
    expect(await values('category')).toEqual({ values: ['mine'], complete: true })
    expect(await values('category', owner)).toEqual({ values: [], complete: true })
    await run('alter table articles disable row level security')
    expect(await values('category')).toEqual({ values: [], complete: true })
  })

  it('are an error where the source has no configuration, or its table changed', async () => {
    await configure({})
    await run('alter table articles rename column category to kind')
    await expect(values('category')).rejects.toMatchObject({ code: 'SOURCE_CHANGED' })
    const empty = await makeSource(system.client(owner.token), 'empty', 'select 1')
    await system.client(owner.token).call(exposeSource, { id: empty.id, exposed: true, min_role: 'viewer' })
    const call = system.client(viewer.token).call(listKnownValues, { id: 'db_empty', column: 'category' })
    await expect(call).rejects.toMatchObject({ code: 'NO_SEARCH_CONFIGURED' })
  })
})
