import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Replaces a file in one step: writes a temporary file, syncs it and renames it. It has `mode` from its creation on. */
export async function replaceFile(path: string, content: Buffer | string, mode?: number): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const fresh = join(folder, `.${basename(path)}.${randomUUID()}.tmp`)
  try {
    const file = await open(fresh, 'wx', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    // The mask of the process may have taken bits away.
    if (mode !== undefined) await chmod(fresh, mode)
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}
