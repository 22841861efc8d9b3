import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FolderInUse, lockFolder } from '#lib/files/folder-lock.ts'
import type { DoorOptions } from '../messages.ts'
import { keeperFolder } from '../place.ts'

const BETWEEN_MS = 20
/** For how long a server waits for others that start at the same time. Each of them needs some milliseconds. */
const MAX_WAIT_MS = 10_000

/**
 * Claims the settings of the port of apps for this server until disposed. Rejects if another server on the data folder has
 * other ones: the keeper has one port, and two servers would open it in turns, each ending the apps of the other. Servers
 * that start at once claim one after another: the look at a claim locks it, so two of them would take each other's look
 * for a server, and each could refuse because of the other.
 */
export async function claimSettings(dataDir: string, settings: DoorOptions): Promise<Disposable> {
  using _turn = await takeTurn(join(keeperFolder(dataDir), 'claiming'))
  return claim(dataDir, settings)
}

async function takeTurn(folder: string): Promise<Disposable> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return lockFolder(folder)
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() > deadline) throw error
      await delay(BETWEEN_MS)
    }
  }
}

function claim(dataDir: string, settings: DoorOptions): Disposable {
  const servers = join(keeperFolder(dataDir), 'servers')
  // The settings have a secret.
  const digest = createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16)
  const own = `${digest}-${randomBytes(6).toString('hex')}`
  const lock = lockFolder(join(servers, own))
  const release = () => {
    lock[Symbol.dispose]()
    rmSync(join(servers, own), { recursive: true, force: true })
  }
  // Claimed before others are looked for: servers of a former release do not wait for their turn.
  const others = readdirSync(servers).filter((name) => name !== own && isHeld(join(servers, name)))
  const other = others.find((name) => !name.startsWith(`${digest}-`))
  if (other === undefined) return { [Symbol.dispose]: release }
  const holder = holderOf(join(servers, other))
  release()
  throw new Error(
    `Another server (${holder}) uses the data folder ${dataDir} with other settings of the port of apps. Give both the ` +
      'same SVC_APPS_PORT, SVC_APPS_DOMAIN, SVC_TRUSTED_PROXIES and secrets, or this one a data folder of its own ' +
      '(SVC_DATA_DIR).',
  )
}

/** Whether a server that runs has it. One that a killed server left is removed, but not one that is just being made. */
function isHeld(folder: string): boolean {
  if (!existsSync(join(folder, 'lock.json'))) return false
  try {
    lockFolder(folder)[Symbol.dispose]()
  } catch (error) {
    if (error instanceof FolderInUse) return true
    // Its server has just ended and removed it.
    if (!existsSync(join(folder, 'lock.json'))) return false
    throw error
  }
  rmSync(folder, { recursive: true, force: true })
  return false
}

function holderOf(folder: string): string {
  try {
    const { pid } = JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8')) as { pid: number }
    return `process ${pid}`
  } catch {
    return 'another process'
  }
}
