import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Replaces a file in one step: writes a temporary file, syncs it and renames it. */
export async function replaceFile(path: string, bytes: Buffer, mode: number | undefined): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const fresh = join(folder, `.${basename(path)}.${randomUUID()}.tmp`)
  try {
    const file = await open(fresh, 'wx')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    if (mode !== undefined) await chmod(fresh, mode)
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}
