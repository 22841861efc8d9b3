import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import { FolderInUse, lockFolder } from '#lib/files/folder-lock.ts'
import { COPIES } from '../../process/control-requests.ts'

/** The server may still be copying for a command that was killed. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }

/**
 * Opens a folder of its own for the copies that the server makes for this command, and removes those of commands that were
 * killed. Throws CONFLICT while another command has copies there, because they must stay.
 */
export async function openCopies(dataDir: string) {
  const copies = join(dataDir, COPIES)
  const lock = lockCopies(copies)
  const left = readdirSync(copies, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of left) await rm(join(copies, name), REMOVAL)
  return {
    path: await mkdtemp(join(copies, 'run-')),
    async [Symbol.asyncDispose]() {
      await rm(copies, REMOVAL)
      lock[Symbol.dispose]()
    },
  }
}

function lockCopies(copies: string): Disposable {
  try {
    return lockFolder(copies)
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    throw new ServiceError('CONFLICT', `Another backup is being made: ${error.message}.`, { cause: error })
  }
}
