import pg from 'pg'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import type { SourceVectors } from '#contract/data-sources/vectors.ts'
import type { TestClock } from '#lib/time/clock.ts'
import { watchLoop } from '../../../src/server/areas/data-sources/index.ts'
import type { System } from '../system.ts'
import { MODEL, makeSource, readerOf } from './configured-source.ts'
import { MODEL_OF_TABLE, PLANTED_DIMENSIONS, type PlantedRow } from './planted-rows.ts'

type WatchDeps = Parameters<typeof watchLoop>[0]
export type Tables = Readonly<Record<string, { readonly type: string; readonly rows: readonly PlantedRow[] }>>

/** The cost of the statements of one night. */
export type Cost = { statements: number; ms: number; bytes: number; longestMs: number }

export type WatchedSource = AsyncDisposable & {
  readonly id: string
  readonly connection_string: string
  readonly reader: WatchDeps['openReader']
  /** Lets the next night pass. Returns what svc then says of each table. */
  night(over?: Partial<WatchDeps>): Promise<{ vectors: readonly SourceVectors[]; cost: Cost }>
}

const DAY_MS = 24 * 60 * 60_000
const BATCH = 500

/** Creates a source with these tables, configures it and fills it. The model is the one of `planted-rows.ts`. */
export async function startWatchedSource(
  system: System,
  client: Client,
  clock: TestClock,
  { name, tables, random }: { name: string; tables: Tables; random: () => number },
): Promise<WatchedSource> {
  const create = Object.entries(tables).map(
    ([table, { type }]) =>
      `create table ${table} (id int generated always as identity primary key, title text, body text, embedding ${type});`,
  )
  const source = await makeSource(client, name, create.join('\n'))
  const insert = async (from: number, to?: number) => {
    for (const [table, { type, rows }] of Object.entries(tables))
      await insertRows(source.connection_string, table, type, rows.slice(from, to))
  }
  // A save measures the size of vectors in a column without one.
  await insert(0, 1)
  const entry = { model: MODEL, dimensions: PLANTED_DIMENSIONS, content_columns: 'id, title, body' }
  const embedding_configs = Object.keys(tables).map((table) => ({ ...entry, label: table, table }))
  await client.call(configureSource, { id: source.id, connection_config: { embedding_configs } })
  await insert(1)
  const login = new pg.Client({ connectionString: await readerOf(system, source) })
  await login.connect()
  const cost: Cost = { statements: 0, ms: 0, bytes: 0, longestMs: 0 }
  const reader = async () => readerOn(login, cost)
  const night: WatchedSource['night'] = async (over) => {
    Object.assign(cost, { statements: 0, ms: 0, bytes: 0, longestMs: 0 })
    const deps: WatchDeps = {
      db: system.db,
      clock,
      openReader: reader,
      activityOf: async () => 'idle',
      placeOf: () => 'here',
      embedRows: async ({ texts }) => texts.map(MODEL_OF_TABLE),
      onError: (error) => {
        throw error
      },
      random,
      ...over,
    }
    const loop = watchLoop(deps)
    const { signal } = new AbortController()
    await loop.tick(clock.now(), signal)
    clock.advance(DAY_MS)
    await loop.tick(clock.now(), signal)
    const { vectors } = await client.call(getSource, { id: source.id })
    return { vectors, cost: { ...cost } }
  }
  const { id, connection_string } = source
  return { id, connection_string, reader, night, [Symbol.asyncDispose]: () => login.end() }
}

/** The managed database as its reader, on one connection, with the cost of all that is read. */
function readerOn(login: pg.Client, cost: Cost): Awaited<ReturnType<WatchDeps['openReader']>> {
  return {
    reads: async (work, session) => {
      await login.query(session.text)
      return work({
        query: async ({ text, values }) => {
          const started = performance.now()
          const { rows } = await login.query(text, [...values])
          const ms = performance.now() - started
          cost.statements++
          cost.ms += ms
          cost.longestMs = Math.max(cost.longestMs, ms)
          cost.bytes += JSON.stringify(rows).length
          return rows
        },
      })
    },
  }
}

export async function insertRows(
  connectionString: string,
  table: string,
  type: string,
  rows: readonly PlantedRow[],
): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (let from = 0; from < rows.length; from += BATCH) {
      const part = rows.slice(from, from + BATCH)
      await client.query(
        `insert into ${table} (title, body, embedding)
         select t, b, v::${type} from unnest($1::text[], $2::text[], $3::text[]) as f (t, b, v)`,
        [
          part.map(({ title }) => title),
          part.map(({ body }) => body),
          part.map(({ vector }) => vector && literalOf(vector)),
        ],
      )
    }
    await client.query(`analyze ${table}`)
  } finally {
    await client.end()
  }
}

function literalOf(vector: ArrayLike<number>): string {
  return `[${Array.from(vector, (number) => number.toPrecision(7)).join(',')}]`
}
