import type { EnvironmentReader } from './reader.ts'

export type StoreSettings = {
  /** Undefined: the embedded database in the data folder. */
  databaseUrl: string | undefined
  /** Address of the same Postgres that no pooler stands before. Undefined: `databaseUrl`. */
  databaseDirectUrl: string | undefined
  /** Connections in the pool to the platform's own Postgres. One more listens. */
  databaseConnections: number
  /** Undefined: the key-value store is a map in the process. */
  redisUrl: string | undefined
  /** False: this process never migrates and refuses a database that lacks a migration. */
  mayMigrate: boolean
}

const DEFAULT_CONNECTIONS = 10

export function readStores(read: EnvironmentReader): StoreSettings {
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const databaseDirectUrl = read.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:'])
  if (databaseDirectUrl !== undefined && databaseUrl === undefined) {
    read.fault('DATABASE_DIRECT_URL requires DATABASE_URL, which is the address of the same database')
  }
  const databaseConnections = read.integer('SVC_DATABASE_CONNECTIONS', DEFAULT_CONNECTIONS, 2, 1_000)
  const mayMigrate = read.oneOf('SVC_MIGRATE', ['on', 'off'], 'on') === 'on'
  if (!mayMigrate && databaseUrl === undefined) {
    read.fault(
      'SVC_MIGRATE=off requires DATABASE_URL: the embedded database is migrated by the one process that uses it',
    )
  }
  const redisUrl = read.url('REDIS_URL', ['redis:', 'rediss:'])
  return { databaseUrl, databaseDirectUrl, databaseConnections, redisUrl, mayMigrate }
}
