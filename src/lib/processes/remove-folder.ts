import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Removes a folder, whatever an untrusted process left in it. Paths inside can be longer than any path outside, and
 * folders can be closed to us: then the folder is moved away, so that its name is free, and the rest is reported.
 */
export async function removeFolder(folder: string, onError: (error: unknown) => void): Promise<void> {
  if (!existsSync(folder)) return
  const away = join(dirname(folder), `removed-${randomBytes(6).toString('hex')}`)
  await rename(folder, away)
  try {
    await rm(away, { recursive: true, force: true })
  } catch {
    // Unlike Node, these walk a tree by relative names.
    await run('chmod', ['-R', 'u+rwX', '--', away], { env: {} }).catch(onError)
    await run('rm', ['-rf', '--', away], { env: {} }).catch(onError)
  }
}
