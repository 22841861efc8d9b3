import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fitsSocket } from '#lib/net/local-stream.ts'

/** The folder of the keeper in the data folder. */
export function keeperFolder(dataDir: string): string {
  const folder = join(dataDir, 'keeper')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Chooses the socket at which the keeper listens: in its folder, or where that path is too long in a folder of its own. */
export function chooseSocket(dataDir: string): string {
  const usual = join(keeperFolder(dataDir), 'control.sock')
  const socket = fitsSocket(usual) ? usual : join(mkdtempSync(join(tmpdir(), 'svc-keeper-')), 'control.sock')
  writeFileSync(placeFile(dataDir), socket, { mode: 0o600 })
  return socket
}

/** The folder of the pipes of apps. */
export function pipesFolder(dataDir: string): string {
  return join(keeperFolder(dataDir), 'pipes')
}

/** The file that names the keeper while it becomes another program. */
export function upgradeFile(dataDir: string): string {
  return join(keeperFolder(dataDir), 'upgrading')
}

/** Returns the id of the keepers of this data folder. */
export function keeperIdOf(dataDir: string): string {
  const file = join(keeperFolder(dataDir), 'id')
  try {
    writeFileSync(file, `keeper-${randomUUID()}`, { mode: 0o600, flag: 'wx' })
  } catch {
    // It was made before.
  }
  return readFileSync(file, 'utf8')
}

/**
 * Returns the socket of the keeper that runs, or ran last. Undefined also if its folder is not the keeper's own: a folder
 * for temporary files is emptied at times, and then any user of the machine can make one of the same name.
 */
export function findSocket(dataDir: string): string | undefined {
  try {
    const socket = readFileSync(placeFile(dataDir), 'utf8')
    // Empty while the keeper writes it.
    if (socket === '') return undefined
    return isPrivate(dirname(socket), lstatSync(keeperFolder(dataDir)).uid) ? socket : undefined
  } catch {
    return undefined
  }
}

/** Whether it is a folder of this user that no other one can use. */
function isPrivate(folder: string, uid: number): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0
}

function placeFile(dataDir: string): string {
  return join(keeperFolder(dataDir), 'place')
}
