import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeWhole } from '#lib/files/write-whole.ts'
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
  writeWhole(placeFile(dataDir), socket)
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

/** Returns the id of the keepers of this data folder. Only the holder of the keeper's lock may call it. */
export function keeperIdOf(dataDir: string): string {
  const file = join(keeperFolder(dataDir), 'id')
  const saved = readId(file)
  if (saved !== undefined) return saved
  const id = `keeper-${randomUUID()}`
  writeWhole(file, id)
  return id
}

/** Returns undefined for a file that is none of ours, such as an empty one that a full disk left. */
function readId(file: string): string | undefined {
  try {
    const id = readFileSync(file, 'utf8')
    return /^keeper-[0-9a-f-]{36}$/.test(id) ? id : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Returns the socket of the keeper that runs, or ran last. Undefined also if its folder is not the keeper's own: a folder
 * for temporary files is emptied at times, and then any user of the machine can make one of the same name.
 */
export function findSocket(dataDir: string): string | undefined {
  try {
    const socket = readFileSync(placeFile(dataDir), 'utf8')
    // A former release could leave it empty on a full disk.
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
