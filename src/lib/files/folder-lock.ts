import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Thrown if another process holds the folder. The message names that process. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

/**
 * Locks a folder for this process until disposed. Throws FolderInUse if another process holds it. Uses an exclusive
 * SQLite lock, because Node has no file locks and the operating system releases this one however the process ends.
 */
export function lockFolder(folder: string): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // An existing folder too, because its contents must be readable by its owner only.
  chmodSync(folder, 0o700)
  const holderFile = join(folder, 'lock.json')
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    lock.close()
    if (!isBusy(cause)) throw cause
    throw new FolderInUse(`${folder} is in use by ${describeHolder(holderFile)}`, { cause })
  }
  try {
    writeFileSync(holderFile, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }), { mode: 0o600 })
  } catch (error) {
    lock.close()
    throw error
  }
  return { [Symbol.dispose]: () => lock.close() }
}

/** https://www.sqlite.org/rescode.html#busy */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}

function describeHolder(file: string): string {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; since: string }
    return `process ${holder.pid}, started ${holder.since}`
  } catch {
    return 'another process'
  }
}
