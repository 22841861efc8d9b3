import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type DataSource, switchSource } from '#contract/data-sources/sources.ts'

type Switch = { enabled: boolean; description?: string }

const ID_PREFIX = 'db_'

/** Switches a database on or off as a data source. Takes the name of the database, or the id of the source. */
export async function switchDatabase(client: Client, nameOrId: string, change: Switch): Promise<DataSource> {
  try {
    return await client.call(switchSource, { name: nameOrId, ...change })
  } catch (error) {
    const isMissing = error instanceof ServiceError && error.code === 'NOT_FOUND'
    if (!isMissing || !nameOrId.startsWith(ID_PREFIX)) throw error
    return await client.call(switchSource, { name: nameOrId.slice(ID_PREFIX.length), ...change })
  }
}
