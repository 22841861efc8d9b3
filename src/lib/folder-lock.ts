import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

/**
 * Holds a folder for this process alone. SQLite's exclusive lock is the operating system's, so it dies with the
 * process however that dies; Node offers no file lock of its own.
 */
export function lockFolder(folder: string): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Also one that was there before: what is inside is for its owner alone.
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
  writeFileSync(holderFile, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }), { mode: 0o600 })
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
