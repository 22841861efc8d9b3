import { lstat, opendir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { copyFolder } from '#lib/files/copy-folder.ts'

class UnsafeFolder extends Error {
  override readonly name = 'UnsafeFolder'
}

/**
 * Refuses a database's folder that holds anything but plain files and folders. An engine that was taken over could
 * leave a link to one of our files there, and the next engine, or a person who copies the folder, would follow it.
 */
export async function assertPlainFolder(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory()) throw new UnsafeFolder('its folder is a link or a file')
  for await (const entry of await opendir(folder, { recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) continue
    if (!entry.isFile() || (await lstat(path)).nlink > 1) {
      const shown = relative(folder, path)
      throw new UnsafeFolder(`${shown} in its folder is a link or a special file: remove it to open the database again`)
    }
  }
}

/** Copies the folder of a database that no engine has open. */
export async function copyPlainFolder(folder: string, to: string): Promise<void> {
  await assertPlainFolder(folder)
  await copyFolder(folder, to)
}
