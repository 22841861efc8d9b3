import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, querySource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { releaseLease, takeLease } from '#lib/work/lease.ts'
import { entry, MODEL, makeSource, readerOf, runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import type { Reader } from '../search/reader.ts'
import { relevanceTargetOf } from './index-state.ts'
import { type MeasureDeps, measureLoop } from './loop.ts'
import { findMeasurements, requestMeasurement } from './store.ts'

const TABLE = `
  create table articles as
  select n as id, 'article ' || n as title,
         (select array_agg(sin(n * i * 0.37 + i)) from generate_series(1, 384) i)::vector(384) as embedding
  from generate_series(1, 60) n;
  create index near on articles using hnsw (embedding vector_cosine_ops);
  analyze articles`
const TARGET = '"public"."articles"."embedding" cosine'
const SCORED = {
  metric: 'cosine' as const,
  model: MODEL,
  content: ['id', 'title'].map((name) => ({ name, type: 'text' })),
}
const TEN_MINUTES = 10 * 60_000

const clock = testClock(new Date())
let system: System
let client: Client
let source: Awaited<ReturnType<typeof makeSource>>
let login: pg.Client

beforeAll(async () => {
  system = await startSystem({ clock })
  client = system.client((await system.member('owner')).token)
  source = await makeSource(client, 'library', TABLE)
  const connection_config = { embedding_configs: [entry({})] }
  await client.call(configureSource, { id: source.id, connection_config })
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
  login = new pg.Client({ connectionString: await readerOf(system, source) })
  await login.connect()
})
afterAll(async () => {
  await login?.end()
  await system?.[Symbol.asyncDispose]()
})

/** The managed database as its reader, on one connection. */
const reader: Reader = {
  reads: async (work, session) => {
    await login.query(session.text)
    return work({ query: async ({ text, values }) => (await login.query(text, values as unknown[])).rows })
  },
}
const tick = (over: Partial<MeasureDeps> = {}) => {
  const onError: MeasureDeps['onError'] = (error) => {
    throw error
  }
  const deps = {
    db: system.db,
    clock,
    openReader: async () => reader,
    activityOf: async () => 'idle' as const,
    mayEmbedRows: () => true,
    embedRows: async () => [],
    onError,
  }
  return measureLoop({ ...deps, ...over }).tick(clock.now(), new AbortController().signal)
}
const stored = async () => (await findMeasurements(system.db, source.id))[0]

beforeEach(async () => {
  await system.db.query(sql`delete from data_sources.search_measurements`)
  await requestMeasurement(system.db, source.id, TARGET, clock.now())
})

describe('measuring an index that is due', () => {
  it('DS-15 chooses how it is searched, and is then no longer due', async () => {
    const next = await tick()
    expect(await stored()).toMatchObject({
      target: TARGET,
      due_at: null,
      measured: { rows: 60, measured_at: clock.now(), choice: { recall: 1, questions: 120 } },
    })
    expect(next.getTime()).toBe(clock.now().getTime() + 60_000)
  })

  it('DS-15 leaves an index to the process that holds its lease', async () => {
    const lease = await takeLease(system.db, `measure:${source.id}:${TARGET}`)
    await tick()
    expect(await stored()).toEqual({ target: TARGET, due_at: clock.now(), measured: null })
    await releaseLease(system.db, lease!)
    await tick()
    expect(await stored()).toMatchObject({ due_at: null, measured: { rows: 60 } })
  })

  it('DS-15 opens no database whose engine is stopped, and waits for the next question', async () => {
    const openReader = async () => {
      throw new Error('the database was opened')
    }
    await tick({ openReader, activityOf: async () => 'stopped' })
    expect(await stored()).toEqual({ target: TARGET, due_at: null, measured: null })
  })

  it('DS-15 waits half a minute where the source is in use', async () => {
    const next = await tick({ activityOf: async () => 'busy' })
    expect(await stored()).toEqual({ target: TARGET, due_at: later(30_000), measured: null })
    expect(next).toEqual(later(30_000))
    await tick()
    expect((await stored())!.measured).toBeNull()
  })

  it('DS-15 goes on after a statement of somebody else', async () => {
    let asked = 0
    await tick({ activityOf: async () => (++asked % 2 === 1 ? 'busy' : 'idle') })
    expect((await stored())!.measured).not.toBeNull()
  })

  it('DS-15 waits ten minutes where the source comes into use after the measurement cost it time', async () => {
    let [now, asked] = [0, 0]
    const time = vi.spyOn(performance, 'now').mockImplementation(() => (now += 150))
    try {
      await tick({ activityOf: async () => (++asked <= 2 ? 'idle' : 'busy') })
    } finally {
      time.mockRestore()
    }
    expect(asked).toBeGreaterThan(2)
    expect(await stored()).toEqual({ target: TARGET, due_at: later(TEN_MINUTES), measured: null })
  })

  it('DS-15 reports an error of the database without its text, and tries again in ten minutes', async () => {
    const errors: unknown[] = []
    const failing: Reader = { reads: () => login.query('select secret_column').then(() => undefined as never) }
    await tick({ openReader: async () => failing, onError: (error) => errors.push(error) })
    expect(errors.map((error) => (error as Error).message)).toEqual(['the managed database answered 42703'])
    expect(await stored()).toEqual({ target: TARGET, due_at: later(TEN_MINUTES), measured: null })
  })

  it('DS-25 embeds no row where its text may not go to the model, and waits for the next question', async () => {
    const target = relevanceTargetOf({ schema: 'public', table: 'articles', vector_column: 'embedding', ...SCORED })
    await requestMeasurement(system.db, source.id, target, clock.now())
    const embedRows = async () => {
      throw new Error('the text of a row left')
    }
    await tick({ embedRows, mayEmbedRows: () => false })
    const rows = await findMeasurements(system.db, source.id)
    expect(rows.find((each) => each.target === target)).toEqual({ target, due_at: null, measured: null })
  })

  it('DS-15 forgets an index that no longer exists until a question finds another', async () => {
    await runIn(source.connection_string, 'drop index near')
    try {
      await tick()
      expect(await stored()).toEqual({ target: TARGET, due_at: null, measured: null })
    } finally {
      await runIn(source.connection_string, 'create index near on articles using hnsw (embedding vector_cosine_ops)')
    }
  })
})

needs('postgres')('measuring a table that another session uses', () => {
  it('DS-15 waits half a minute', async () => {
    const other = new pg.Client({ connectionString: source.connection_string })
    await other.connect()
    try {
      await other.query('begin; select from articles')
      await tick()
      expect(await stored()).toEqual({ target: TARGET, due_at: later(30_000), measured: null })
    } finally {
      await other.end()
    }
  })
})

describe('where measuring is switched off', () => {
  it('DS-15 a question asks for no measurement and a stored one is not used', async () => {
    await tick()
    const before = await stored()
    await runIn(source.connection_string, 'reindex index near')
    expect((await client.call(querySource, { id: source.id, query: 'anything', top_k: 5 })).count).toBe(5)
    expect(await stored()).toEqual(before)
    const { plan } = await client.call(getSource, { id: source.id })
    expect(plan).toMatchObject([{ method: 'hnsw', ef_search: 400, measured: null }])
  })
})

describe('a configuration that no longer has the entry', () => {
  it('DS-15 loses its measurement', async () => {
    await client.call(configureSource, { id: source.id, connection_config: { embedding_configs: [] } })
    expect(await stored()).toBeUndefined()
  })
})

function later(ms: number): Date {
  return new Date(clock.now().getTime() + ms)
}
