import { listModels } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { suggest } from '#contract/core/suggest.ts'
import { type Suggestion, suggestSearch } from '#contract/data-sources/suggest/suggest-search.ts'
import type { Table } from '#contract/data-sources/suggest/table.ts'
import { readTableName, type TableName } from '#contract/data-sources/table-name.ts'
import { readConnection } from '#contract/databases.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags } from '../../../command/command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { toJson } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { openConnection } from '../../db/embed/connection.ts'
import { readTables } from './read-tables.ts'

export async function run([name = '', table]: readonly string[], flags: LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { configuration, questions } = await cli.progress(`Reading ${name}`, suggestFor(client, name, table))
  for (const line of questions) cli.note(`# ${printable(line)}`)
  const { embedding_configs } = configuration.connection_config
  if (embedding_configs.length === 0) {
    throw new ServiceError(
      'NOT_FOUND',
      `${name} has no table that could be proposed. It needs a vector column and an id.`,
    )
  }
  for (const { label, content_columns } of embedding_configs) {
    cli.note(`# ${printable(`${label}: everyone who can ask would see ${content_columns}. Is that right?`)}`)
  }
  cli.print(toJson(configuration))
}

/** Reads the structure of a database over the person's own connection and proposes its search configuration. */
export async function suggestFor(client: Client, database: string, table?: string): Promise<Suggestion> {
  const parsed = table === undefined ? undefined : readTableName(table)
  if (table !== undefined && !parsed) throw usageError(`The table must be name or schema.name, not ${table}.`)
  const { connection_string } = await findDatabase(client, database)
  const { data } = await client.call(listModels, {})
  const db = await openConnection(connection_string, database)
  try {
    const tables = await readTables(db)
    const models = data.filter(({ capabilities }) => capabilities.includes('embeddings'))
    return suggestSearch(parsed ? [findNamed(tables, parsed, table!)] : tables, models, parsed !== undefined)
  } finally {
    await db.close()
  }
}

/** Takes the name of the database, or the id of its source. */
async function findDatabase(client: Client, nameOrId: string): Promise<{ connection_string: string }> {
  try {
    return await client.call(readConnection, { name: nameOrId })
  } catch (error) {
    const isMissing = error instanceof ServiceError && error.code === 'NOT_FOUND'
    if (!isMissing || !nameOrId.startsWith('db_')) throw error
    return await client.call(readConnection, { name: nameOrId.slice('db_'.length) })
  }
}

function findNamed(tables: readonly Table[], { schema = 'public', name }: TableName, typed: string): Table {
  const found = tables.find((table) => table.schema === schema && table.name === name)
  if (found) return found
  const near = suggest(
    `${schema}.${name}`,
    tables.map((table) => `${table.schema}.${table.name}`),
  )
  throw new ServiceError('NOT_FOUND', `No such table: ${typed}.${near === undefined ? '' : ` Did you mean ${near}?`}`)
}
