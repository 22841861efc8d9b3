import pg from 'pg'
import type { Client } from '#contract/core/client.ts'
import { switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import type { System } from '../system.ts'

export const MODEL = 'builtin/all-minilm-l6-v2'

/** Returns a valid entry for the table `articles`, with the given fields replaced. */
export function entry<T extends object>(over: T) {
  return { label: 'a', table: 'articles', model: MODEL, dimensions: 384, content_columns: 'id, title', ...over }
}

/** Creates a managed database with these tables and enables it as a data source. */
export async function makeSource(client: Client, name: string, tables: string) {
  await client.call(createDatabase, { name })
  const { connection_string } = await client.call(readConnection, { name })
  await runIn(connection_string, tables)
  const { id } = await client.call(switchSource, { name, enabled: true })
  return { id, source_id: `db_${name}`, name, connection_string }
}

export async function runIn(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(text)
    return Array.isArray(result) ? result.at(-1)!.rows : result.rows
  } finally {
    await client.end()
  }
}

/** Returns the connection string of the role that questions run as. */
export async function readerOf(system: System, source: { name: string; connection_string: string }): Promise<string> {
  const url = new URL(source.connection_string)
  const [row] = await system.db.query<{ id: string; reader_role: string; reader_password: string }>(sql`
    select id, reader_role, reader_password from databases.databases where owner_role = ${url.username}`)
  url.username = row!.reader_role
  url.password = createSealer(system.config.secrets.dataKeys).open(
    row!.reader_password,
    `database-password:${row!.id}:reader`,
  )
  return url.href
}
