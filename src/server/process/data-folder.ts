import { join } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import { isCluster } from '#lib/db/embedded/cluster.ts'
import { lockFolder } from '#lib/files/folder-lock.ts'

/**
 * Takes the data folder for a maintenance command until `stack` is disposed. Throws NOT_FOUND when it holds no database,
 * and FolderInUse while a server runs on it.
 */
export function takeDataFolder(dataDir: string, stack: AsyncDisposableStack): void {
  requireDatabase(dataDir)
  stack.use(lockFolder(dataDir))
}

/** Throws NOT_FOUND when the data folder holds no database. A server may run on it. */
export function requireDatabase(dataDir: string): void {
  if (!isCluster(join(dataDir, 'db'))) {
    throw new ServiceError('NOT_FOUND', `There is no database in ${dataDir}. Set SVC_DATA_DIR to the data folder.`)
  }
}
