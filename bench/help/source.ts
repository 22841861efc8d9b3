import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import type { ResolvedEntry } from '../../src/server/areas/data-sources/search/entry.ts'
import { searchSettings } from '../../src/server/areas/data-sources/search/settings.ts'
import { createStatements } from '../../src/server/areas/data-sources/search/statements.ts'
import { MODEL } from './questions.ts'
import { query } from './stores.ts'
import { createVectors, DIMENSIONS, toText } from './vectors.ts'

const NAME = 'bench'
const ROWS_PER_INSERT = 500
export const TOP_K = 10

const TABLE = `
  create table articles (
    id bigint primary key,
    title text not null,
    body text not null,
    category text not null,
    embedding vector(${DIMENSIONS}) not null
  )`

export type Source = {
  id: string
  /** Token of a viewer of the organization. */
  token: string
  /** The product's statement for a question with its values; those of the vector are null. */
  statement: { text: string; values: readonly (string | null)[] }
  /** Connection string of a role that may read the table, with the product's search settings, for direct access. */
  rawUrl: string
}

export async function makeSource(
  url: string,
  operatorToken: string,
  databaseUrl: string,
  rows: number,
): Promise<Source> {
  const as = (token: string) =>
    createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  const operator = as(operatorToken)
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Bench' })
  const tokenOf = async (role: 'owner' | 'viewer') =>
    (await operator.call(adminCreateToken, { org_id, email: `${role}@example.com`, role, name: 'bench' })).token
  const owner = as(await tokenOf('owner'))
  await owner.call(createDatabase, { name: NAME })
  const { connection_string } = await owner.call(readConnection, { name: NAME })
  await fill(connection_string, rows)
  const { id } = await owner.call(switchSource, { name: NAME, enabled: true })
  const entry = { label: 'articles', table: 'articles', model: MODEL, dimensions: DIMENSIONS }
  const embedding_configs = [{ ...entry, content_columns: 'id, title, body, category' }]
  await owner.call(configureSource, {
    id,
    connection_config: { embedding_configs },
    filter_schema: { category: 'string' },
  })
  await owner.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
  return {
    id: `db_${NAME}`,
    token: await tokenOf('viewer'),
    statement: await statementOf(databaseUrl, id),
    rawUrl: await makeRawRole(databaseUrl, connection_string),
  }
}

async function fill(url: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(TABLE)
  const next = createVectors()
  for (let first = 0; first < rows; first += ROWS_PER_INSERT) {
    const ids = Array.from({ length: Math.min(ROWS_PER_INSERT, rows - first) }, (_, i) => first + i)
    await client.query(
      `insert into articles (id, title, body, category, embedding)
       select id, 'Article number ' || id, repeat('About article ' || id || '. ', 18), 'category ' || id % 20, vector
       from unnest($1::bigint[], $2::text[]::vector[]) as row (id, vector)`,
      [ids, ids.map(() => toText(next()))],
    )
  }
  await client.query(
    'create index on articles using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64)',
  )
  await client.query('vacuum analyze articles')
  await client.end()
}

async function statementOf(databaseUrl: string, id: string): Promise<Source['statement']> {
  const [row] = await query<{ search: ResolvedEntry[] }>(
    databaseUrl,
    'select search from data_sources.sources where id = $1',
    [id],
  )
  const entry = row!.search[0]!
  if (entry.index !== 'hnsw') throw new Error('the source is not searched by its index')
  const { text, values } = createStatements().byIndex({ entry, vector: 'here', filters: [], limit: TOP_K })
  return { text, values: values.map((value) => (value === 'here' ? null : String(value))) }
}

async function makeRawRole(databaseUrl: string, ownerUrl: string): Promise<string> {
  const url = new URL(databaseUrl)
  const { pathname } = new URL(ownerUrl)
  url.pathname = pathname
  const password = randomBytes(16).toString('hex')
  // Roles belong to the whole server, which may hold the sources of several installations.
  const role = `raw_${randomBytes(4).toString('hex')}`
  const settings = searchSettings({ entry: { index: 'hnsw' } as ResolvedEntry, filters: [] })
  const [value] = await query(
    url.href,
    `select '[1]'::vector; ${settings.text};
     select current_setting('hnsw.ef_search') as ef, current_setting('hnsw.iterative_scan') as scan`,
  )
  await query(
    url.href,
    `create role ${role} login password '${password}';
     grant connect on database ${pg.escapeIdentifier(pathname.slice(1))} to ${role};
     grant usage on schema public to ${role};
     grant select on articles to ${role};
     alter role ${role} set hnsw.ef_search = ${Number(value!.ef)};
     alter role ${role} set hnsw.iterative_scan = ${pg.escapeLiteral(value!.scan!)}`,
  )
  url.username = role
  url.password = password
  return url.href
}
