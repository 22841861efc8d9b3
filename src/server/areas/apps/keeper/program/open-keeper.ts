import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '#lib/files/folder-lock.ts'
import { messageOf } from '#lib/message-of.ts'
import { listenLocal } from '#lib/net/local-stream.ts'
import { endFormer } from '../../process/sandbox/sandboxes.ts'
import type { StartedBy } from '../messages.ts'
import { chooseSocket, keeperFolder, keeperIdOf } from '../place.ts'
import { Keeper } from './keeper.ts'

/** Opens the keeper of a data folder. Throws FolderInUse if it has one already. */
export async function openKeeper(dataDir: string, startedBy: StartedBy): Promise<Keeper> {
  const lock = lockFolder(keeperFolder(dataDir))
  const keeper = new Keeper({
    lock,
    dataDir,
    keeperId: keeperIdOf(dataDir),
    startedBy,
    pidFile: (port) => join(dataDir, `app-door-${port}.pid`),
    exit: () => process.exit(0),
  })
  // A keeper that was killed takes its apps with it. This waits for their end, and removes what they left.
  for (const name of await readdir(join(dataDir, 'apps')).catch(() => [])) {
    await endFormer(name, keeper.machine).catch((error: unknown) =>
      keeper.log(
        'error',
        { app: name, error: messageOf(error) },
        'what a former keeper left of an app could not be removed',
      ),
    )
  }
  await listenLocal(chooseSocket(dataDir), (socket) => keeper.connect(socket))
  process.on('unhandledRejection', (error) =>
    keeper.log('error', { error: messageOf(error) }, 'a fault in the process that keeps apps was not handled'),
  )
  return keeper
}
