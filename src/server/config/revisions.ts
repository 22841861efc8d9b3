import type { EnvironmentReader } from './reader.ts'

export type RevisionSettings = {
  /** Bytes of revisions of its apps that an organization may have stored. */
  maxStoreBytes: number
}

const DEFAULT_STORE_MB = 5 * 1024
const MAX_STORE_MB = 100 * 1024 * 1024

export function readRevisions(read: EnvironmentReader): Readonly<RevisionSettings> {
  const storeMb = read.integer('SVC_REVISION_STORE_MB', DEFAULT_STORE_MB, 1, MAX_STORE_MB)
  return Object.freeze({ maxStoreBytes: storeMb * 1024 * 1024 })
}
