import type { EnvironmentReader } from './reader.ts'

export type StoreSettings = {
  /** Undefined: the embedded database in the data folder. */
  databaseUrl: string | undefined
  /** Undefined: the key-value store is a map in the process. */
  redisUrl: string | undefined
  /** False: this process never migrates and refuses a database that lacks a migration. */
  mayMigrate: boolean
}

export function readStores(read: EnvironmentReader): StoreSettings {
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const mayMigrate = read.oneOf('SVC_MIGRATE', ['on', 'off'], 'on') === 'on'
  if (!mayMigrate && databaseUrl === undefined) {
    read.fault(
      'SVC_MIGRATE=off requires DATABASE_URL: the embedded database is migrated by the one process that uses it',
    )
  }
  return { databaseUrl, redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']), mayMigrate }
}
