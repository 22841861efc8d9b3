import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { runToEnd } from '../processes/start-process.ts'

/**
 * Removes a folder, whatever an untrusted process left in it. It is renamed first, so that its name is free at once. A
 * process that is killed meanwhile leaves the renamed folder, which the next start deletes (`server/process/leftovers.ts`).
 */
export async function removeFolder(folder: string, onError: (error: unknown) => void): Promise<void> {
  if (!existsSync(folder)) return
  const away = removedName(folder)
  await rename(folder, away)
  await deleteTree(away, onError)
}

/** Returns a new name beside the folder, by which it is known to be deleted. */
export function removedName(folder: string): string {
  return join(dirname(folder), `removed-${randomBytes(6).toString('hex')}`)
}

export function isRemovedName(path: string): boolean {
  return /^removed-[0-9a-f]{12}$/.test(basename(path))
}

/** Paths inside can be longer than any path outside, and folders can be closed to us. What cannot be deleted is reported. */
export async function deleteTree(folder: string, onError: (error: unknown) => void): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    // Unlike Node, these walk a tree by relative names.
    await runToEnd('chmod', ['-R', 'u+rwX', '--', folder], {}).catch(onError)
    await runToEnd('rm', ['-rf', '--', folder], {}).catch(onError)
  }
}
