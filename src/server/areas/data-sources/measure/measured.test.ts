import { afterAll, beforeAll, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { entry, makeSource, runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { findMeasurements, MEASUREMENTS_CHANNEL } from './store.ts'

const TABLE = `
  create table articles as
  select n as id, 'article ' || n as title,
         (select array_agg(sin(n * i * 0.37 + i)) from generate_series(1, 384) i)::vector(384) as embedding
  from generate_series(1, 100) n;
  create index near on articles using hnsw (embedding vector_cosine_ops);
  analyze articles`

const clock = testClock(new Date())
let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeSource>>

beforeAll(async () => {
  system = await startSystem({ clock, env: { SVC_MEASURE_INDEXES: 'true' } })
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'library', TABLE)
  await client.call(configureSource, { id: source.id, connection_config: { embedding_configs: [entry({})] } })
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

const ask = () => client.call(querySource, { id: 'db_library', query: 'anything', top_k: 5 })
const shown = async () => (await client.call(getSource, { id: 'db_library' })).plan[0]!.measured

/** Lets the worker try until it finds the source at rest. Looks at the store, because showing a source uses it. */
const measured = () =>
  until(async () => {
    clock.advance(10 * 60_000)
    await system.db.query(sql`select pg_notify(${MEASUREMENTS_CHANNEL}, '')`)
    return (await findMeasurements(system.db, source.id)).find(({ due_at }) => due_at === null)?.measured
  })

it('DS-15 a question has its index measured, which is shown, not recorded in Activity, and repeated after a rebuild', async () => {
  expect(await shown()).toBeNull()
  expect((await ask()).count).toBe(5)
  const first = await measured()
  expect(await shown()).toEqual({ recall: 1, questions: 200, at: first.measured_at.toISOString() })

  clock.advance(60_000)
  await runIn(source.connection_string, 'reindex index near')
  expect(await shown()).toBeNull()
  expect((await ask()).count).toBe(5)
  const second = await measured()
  expect(second.measured_at.getTime()).toBeGreaterThan(first.measured_at.getTime())
  expect(await shown()).toEqual({ recall: 1, questions: 200, at: second.measured_at.toISOString() })

  const { items } = await client.call(listActivity, { type: 'data_sources' })
  expect(items.filter(({ target }) => target === 'db_library')).toHaveLength(2)
})
