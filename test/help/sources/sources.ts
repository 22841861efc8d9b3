import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { fakeVector } from '../outside/fake-embeddings.ts'
import { makeSource } from './configured-source.ts'

/** Returns the vector of the model `fake/fake-small` for a text, as an SQL literal. */
export const fakeLiteral = (text: string) => `'[${fakeVector(text).join(',')}]'`

export const ARTICLES = `
  create table articles (id int primary key, title text, category text, embedding vector(8));
  insert into articles values (1, 'Sick days', 'leave', ${fakeLiteral('sick')}), (2, 'Cars', 'travel', ${fakeLiteral('cars')})`

/** Creates a data source with these tables, each searchable with the fake model and open to all roles. */
export async function makeAskable(
  client: Client,
  name: string,
  { sql = ARTICLES, tables = ['articles'] }: { sql?: string; tables?: string[] } = {},
) {
  const source = await makeSource(client, name, sql)
  await client.call(configureSource, fakeConfiguration(source.source_id, ...tables))
  await client.call(exposeSource, { id: source.id, exposed: true, min_role: 'viewer' })
  return source
}

export function fakeConfiguration(id: string, ...tables: string[]) {
  const entry = { model: 'fake/fake-small', dimensions: 8, content_columns: 'id, title' }
  const embedding_configs = tables.map((table) => ({ ...entry, label: table, table }))
  return { id, connection_config: { embedding_configs }, filter_schema: { category: 'string' as const } }
}
