import type { EnvironmentReader } from './reader.ts'

const DEFAULT_CONNECTIONS = 10

export function readStores(read: EnvironmentReader) {
  /** Undefined: the embedded database in the data folder. */
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  /** Address of the same Postgres that no pooler stands before. Undefined: `databaseUrl`. */
  const databaseDirectUrl = read.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:'])
  if (databaseDirectUrl !== undefined && databaseUrl === undefined) {
    read.fault('DATABASE_DIRECT_URL requires DATABASE_URL, which is the address of the same database')
  }
  /** Connections in the pool to the platform's own Postgres. One more listens. */
  const databaseConnections = read.integer('SVC_DATABASE_CONNECTIONS', DEFAULT_CONNECTIONS, 2, 1_000)
  /** False: this process never migrates and refuses a database that lacks a migration. */
  const mayMigrate = read.oneOf('SVC_MIGRATE', ['on', 'off'], 'on') === 'on'
  if (!mayMigrate && databaseUrl === undefined) {
    read.fault(
      'SVC_MIGRATE=off requires DATABASE_URL: the embedded database is migrated by the one process that uses it',
    )
  }
  /** Undefined: the key-value store is a map in the process. */
  const redisUrl = read.url('REDIS_URL', ['redis:', 'rediss:'])
  return { databaseUrl, databaseDirectUrl, databaseConnections, redisUrl, mayMigrate }
}
