import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createSealer } from '#lib/crypto/seal.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { checkAll } from '../../src/server/areas/data-sources/configure/check.ts'
import { setGrants } from '../../src/server/areas/data-sources/configure/grants.ts'
import type { ResolvedEntry } from '../../src/server/areas/data-sources/search/entry.ts'
import { connectionString } from '../../src/server/areas/databases/engine/engine.ts'
import { createPools, type ManagedDb } from '../../src/server/areas/databases/engine/pools.ts'
import { createPostgresEngine } from '../../src/server/areas/databases/engine/postgres/engine.ts'
import { newDatabase, openPassword } from '../../src/server/areas/databases/model/new-database.ts'
import type { Data } from './data.ts'

export type Index = { method: 'hnsw'; m?: number; ef_construction?: number } | { method: 'ivfflat'; lists: number }

/** The table that is searched, as its configuration names it. Its vectors are in the column `embedding`. */
export type Table = {
  readonly name: string
  readonly dimensions: number
  readonly content: string
  readonly filters: Readonly<Record<string, 'number' | 'string'>>
}

/** A managed database as the product creates and opens it, with one table to search. */
export type Managed = AsyncDisposable & {
  reader: ManagedDb
  /** The same role on separate connections, so that settings of one do not affect the other. */
  peer: ManagedDb
  /** A connection of the owner. */
  owner: pg.Client
  /** Replaces the index. Returns the product's configuration of the table and the seconds it took. */
  index(table: Table, index: Index): Promise<{ entry: ResolvedEntry; seconds: number }>
}

/** Each filter column matches one row in this many. None of the columns has an index. */
export const FILTERS = { half: 2, tenth: 10, twentieth: 20, hundredth: 100, thousandth: 1000 } as const
const BATCH = 1_000

export async function openManaged(server: string): Promise<Managed> {
  const stack = new AsyncDisposableStack()
  const platform = `svc_bench_${randomBytes(4).toString('hex')}`
  const main = stack.use(openPostgres({ url: server, onError: console.error, statementTimeoutMs: 0 }))
  const engine = createPostgresEngine({ db: main, databaseUrl: server, publicHost: undefined, warn: console.warn })
  const sealer = createSealer([randomBytes(32).toString('hex')])
  const database = await newDatabase(
    { org_id: 'org', name: platform, created_by: 'bench', created_at: new Date() },
    sealer,
  )
  stack.defer(() => engine.drop(database))
  await engine.create(database)
  const address = await engine.ownAddress()
  const loginOf = (as: 'owner' | 'reader') =>
    connectionString(address, {
      role: database[`${as}_role`],
      password: openPassword(database, as, sealer),
      database: database.physical_name,
    })
  const open = () => {
    const pools = createPools({ onError: console.error })
    stack.defer(() => pools.close())
    return pools
  }
  const pools = open()
  const client = new pg.Client({ connectionString: loginOf('owner') })
  await client.connect()
  stack.defer(() => client.end())
  await client.query(`set maintenance_work_mem = '4GB'; set max_parallel_maintenance_workers = 2`)
  const owner = pools.open(loginOf('owner'))
  return {
    reader: pools.open(loginOf('reader')),
    peer: open().open(loginOf('reader')),
    owner: client,
    async index(table, index) {
      const seconds = await buildIndex(client, table, index)
      const entry = await configure(owner, database.reader_role, table)
      return { entry, seconds }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** The table that `fillArticles` makes. */
export function articles({ dimensions }: Pick<Data, 'dimensions'>): Table {
  const filters = Object.fromEntries([...Object.keys(FILTERS), 'cluster'].map((name) => [name, 'number' as const]))
  return { name: 'articles', dimensions, content: 'id, title', filters }
}

export async function fillArticles(client: pg.Client, { rows, vectors, dimensions }: Data): Promise<void> {
  const columns = Object.keys(FILTERS).map((name) => `${name} int`)
  await client.query(`drop table if exists articles`)
  await client.query(`
    create unlogged table articles (id int, title text, cluster int, ${columns.join(', ')}, embedding vector(${dimensions}))`)
  for (let from = 0; from < rows.length; from += BATCH) {
    const part = rows.slice(from, from + BATCH)
    const text = part.map(({ id }) => `[${vectors.subarray(id * dimensions, (id + 1) * dimensions).join(',')}]`)
    await client.query(
      `insert into articles
       select id, 'article ' || id, cluster, ${Object.values(FILTERS)
         .map((parts) => `bucket % ${parts}`)
         .join(', ')}, embedding
       from unnest($1::int[], $2::int[], $3::int[], $4::vector[]) as r (id, cluster, bucket, embedding)`,
      [part.map(({ id }) => id), part.map(({ cluster }) => cluster), part.map(({ bucket }) => bucket), text],
    )
  }
  await client.query('vacuum analyze articles')
}

async function buildIndex(client: pg.Client, { name }: Table, index: Index): Promise<number> {
  await client.query('drop index if exists nearest')
  const started = performance.now()
  const { method, ...given } = index
  const settings = Object.entries(given).map(([option, value]) => `${option} = ${value}`)
  const options = settings.length === 0 ? '' : ` with (${settings.join(', ')})`
  await client.query(`create index nearest on ${name} using ${method} (embedding vector_cosine_ops)${options}`)
  return (performance.now() - started) / 1000
}

async function configure(owner: ManagedDb, reader: string, table: Table): Promise<ResolvedEntry> {
  const { name, dimensions, content, filters } = table
  const entry = {
    label: name,
    table: name,
    columns: ['embedding'],
    model: 'bench',
    dimensions,
    distance_metric: 'cosine',
    content_columns: content,
  }
  const deps = {
    owner,
    reader,
    findModel: () => ({ dimensions }),
    modelNames: () => [],
    personValues: async () => ({}),
  }
  const { entries } = await checkAll(deps, {
    entries: [entry],
    filter_schema: filters,
    person_settings: undefined,
    relevance: {},
  })
  await setGrants(owner, reader, entries)
  return entries[0]!
}
