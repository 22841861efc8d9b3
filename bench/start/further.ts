import pg from 'pg'
import { createClient } from '#contract/core/client.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import type { Source } from './installation.ts'

const ROWS = 1_000
const DIMENSIONS = 384

/** Creates another managed database and uses it as an owner would: a table, an index, and a search by it. */
export async function fillFurtherDatabase({ url, key }: Source, name: string): Promise<void> {
  const client = createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${key}` }) })
  await client.call(createDatabase, { name })
  const { connection_string } = await client.call(readConnection, { name })
  const connection = new pg.Client({ connectionString: connection_string })
  await connection.connect()
  try {
    await connection.query(`create table notes (id bigint primary key, embedding vector(${DIMENSIONS}) not null)`)
    await connection.query(
      `insert into notes select n, array(select sin(n * i) from generate_series(1, ${DIMENSIONS}) i)::vector
       from generate_series(1, ${ROWS}) n`,
    )
    await connection.query('create index on notes using hnsw (embedding vector_cosine_ops)')
    await connection.query(
      'select id from notes order by embedding <=> (select embedding from notes where id = 7) limit 10',
    )
  } finally {
    await connection.end()
  }
}
