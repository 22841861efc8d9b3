import type { EnvironmentReader } from './reader.ts'

const DEFAULT_STORE_MB = 5 * 1024
const MAX_STORE_MB = 100 * 1024 * 1024

export function readRevisions(read: EnvironmentReader) {
  const storeMb = read.integer('SVC_REVISION_STORE_MB', DEFAULT_STORE_MB, 1, MAX_STORE_MB)
  /** Bytes of revisions of its apps that an organization may have stored. */
  const maxStoreBytes = storeMb * 1024 * 1024
  return Object.freeze({ maxStoreBytes })
}
