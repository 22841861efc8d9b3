import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { copyFolder } from '#lib/files/copy-folder.ts'
import { composeDatabases } from '../compose/databases.ts'
import type { Resources } from '../compose/parts.ts'
import type { ControlRequest } from './control-socket.ts'

/** The folder in the data folder in which the server puts copies for a command, each in the folder of its run. */
export const COPIES = 'backup-copies'

/** Copies the files of the embedded databases for `svc-server backup`, and restarts the server. */
export function controlRequests(
  { db, config, shared }: Pick<Resources, 'db' | 'config' | 'shared'>,
  restart: () => void,
) {
  return async (request: ControlRequest): Promise<void> => {
    if (request.do === 'restart') {
      // After the answer.
      setImmediate(restart)
      return
    }
    const run = dirname(resolve(request.to))
    if (dirname(run) !== resolve(config.dataDir, COPIES)) throw new Error('copies go to the folder of copies only')
    if (request.do === 'copy-database') {
      requireRun(run)
      await shared(composeDatabases).copyFiles?.(request.physicalName, request.to)
      return
    }
    // The engine has one session and writes in statements only, so nothing changes while this transaction is open.
    await db.tx(async () => {
      requireRun(run)
      await copyFolder(join(config.dataDir, 'db'), request.to)
    })
  }
}

/** A request can outlive its command, whose folder the next command removes. */
function requireRun(folder: string): void {
  if (!existsSync(folder)) throw new Error('the command that asked for a copy has ended')
}
