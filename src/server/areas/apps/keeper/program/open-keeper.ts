import { rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FolderInUse, lockFolder } from '#lib/files/folder-lock.ts'
import { messageOf } from '#lib/message-of.ts'
import { listenLocal } from '#lib/net/local-stream.ts'
import { namesLivingProcess } from '#lib/processes/former-process.ts'
import { endFormer } from '../../process/sandbox/sandboxes.ts'
import type { Succession } from '../command.ts'
import type { StartedBy } from '../messages.ts'
import { chooseSocket, keeperFolder, keeperIdOf, pipesFolder, upgradeFile } from '../place.ts'
import { type FrozenKeeper, takeHandOver } from './hand-over.ts'
import { Keeper } from './keeper.ts'

const LOCK_AGAIN_MS = 20
const LOCK_TRIES = 100

/**
 * Opens the keeper of a data folder. Throws FolderInUse if it has one already. `succession`: this program takes the place
 * of a former one in this process, and goes on with its apps.
 */
export async function openKeeper(dataDir: string, startedBy: StartedBy, succession?: Succession): Promise<Keeper> {
  const goesOn = succession !== undefined
  const lock = goesOn ? await lockAgain(dataDir) : lockNew(dataDir)
  const open = (frozen?: FrozenKeeper) =>
    new Keeper({
      lock,
      dataDir,
      keeperId: keeperIdOf(dataDir),
      startedBy,
      pidFile: (port) => join(dataDir, `app-door-${port}.pid`),
      exit: () => process.exit(0),
      cgroup: frozen?.cgroup,
    })
  const keeper = (goesOn && (await goOn(dataDir, open))) || (await beginAnew(dataDir, open(), goesOn))
  if (succession === 'went-back') {
    keeper.log(
      'error',
      {},
      'the new program of the process that keeps apps could not be executed; the former one goes on',
    )
  }
  await listenLocal(chooseSocket(dataDir), (socket) => keeper.connect(socket))
  rmSync(upgradeFile(dataDir), { force: true })
  process.on('unhandledRejection', (error) =>
    keeper.log('error', { error: messageOf(error) }, 'a fault in the process that keeps apps was not handled'),
  )
  return keeper
}

/**
 * Returns undefined if the state of the former program cannot be read. Throws if it can be used in part only: then this
 * process must end, and its apps with it, because an app must not run twice.
 */
async function goOn(dataDir: string, open: (frozen: FrozenKeeper) => Keeper): Promise<Keeper | undefined> {
  const taken = readHandOver(dataDir)
  if (!taken) return undefined
  const keeper = open(taken.keeper)
  await keeper.restore(taken.keeper)
  taken.release()
  return keeper
}

function readHandOver(dataDir: string): ReturnType<typeof takeHandOver> | undefined {
  try {
    return takeHandOver(dataDir)
  } catch {
    return undefined
  }
}

/** A keeper that was killed takes its apps with it. This waits for their end, and removes what they left. */
async function beginAnew(dataDir: string, keeper: Keeper, wasUpgraded: boolean): Promise<Keeper> {
  if (wasUpgraded) keeper.log('error', {}, 'apps could not be taken over by the new release; they are started again')
  for (const name of await readdir(join(dataDir, 'apps')).catch(() => [])) {
    await endFormer(name, keeper.machine).catch((error: unknown) =>
      keeper.log(
        'error',
        { app: name, error: messageOf(error) },
        'what a former keeper left of an app could not be removed',
      ),
    )
  }
  rmSync(pipesFolder(dataDir), { recursive: true, force: true })
  return keeper
}

/** A keeper that becomes another program has no lock for a moment. Its file is looked for again after the lock was taken. */
function lockNew(dataDir: string): Disposable {
  const refuse = () => {
    if (namesLivingProcess(upgradeFile(dataDir))) throw new FolderInUse('the keeper is being upgraded')
  }
  refuse()
  const lock = lockFolder(keeperFolder(dataDir))
  try {
    refuse()
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
  return lock
}

/** Another keeper may have the lock for as long as it takes to find out that it is not its turn. */
async function lockAgain(dataDir: string): Promise<Disposable> {
  for (let left = LOCK_TRIES; ; left--) {
    try {
      return lockFolder(keeperFolder(dataDir))
    } catch (error) {
      if (!(error instanceof FolderInUse) || left === 0) throw error
      await delay(LOCK_AGAIN_MS)
    }
  }
}
