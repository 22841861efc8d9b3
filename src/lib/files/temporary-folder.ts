import { readdirSync } from 'node:fs'
import { lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FolderInUse, lockFolder } from './folder-lock.ts'

type TemporaryFolder = AsyncDisposable & { readonly path: string }

/**
 * Opens a new folder for temporary files of this process, which is removed when it is disposed. A process that is killed
 * leaves its folder, so those of the same prefix whose process has ended are removed first.
 */
export async function openTemporaryFolder(prefix: string): Promise<TemporaryFolder> {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))
  for (const name of names) await removeLeft(join(tmpdir(), name))
  const path = await mkdtemp(join(tmpdir(), prefix))
  const lock = lockFolder(path)
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true })
      lock[Symbol.dispose]()
    },
  }
}

async function removeLeft(folder: string): Promise<void> {
  if (!(await isOwn(folder))) return
  try {
    using _lock = lockFolder(folder)
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
  }
}

/** Everybody can make files and links in the system's temporary folder. */
async function isOwn(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
}
