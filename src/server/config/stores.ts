import type { EnvironmentReader } from './reader.ts'

export type StoreSettings = {
  /** Undefined: the embedded database in the data folder. */
  databaseUrl: string | undefined
  /** Undefined: the key-value store is a map in the process. */
  redisUrl: string | undefined
}

export function readStores(read: EnvironmentReader): StoreSettings {
  return {
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
  }
}
