import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Returns the socket of the keeper that runs, or ran last. */
export function findSocket(dataDir: string): string | undefined {
  try {
    // Empty while the keeper writes it.
    return readFileSync(placeFile(dataDir), 'utf8') || undefined
  } catch {
    return undefined
  }
}

function placeFile(dataDir: string): string {
  return join(keeperFolder(dataDir), 'place')
}
