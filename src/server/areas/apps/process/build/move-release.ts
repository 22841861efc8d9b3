import { mkdir, rename, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { folderBytes } from '#lib/files/folder-bytes.ts'
import { removeFolder } from '#lib/files/remove-folder.ts'
import { runToEnd } from '#lib/processes/start-process.ts'

/**
 * Makes the source of a build the release, whole or not at all. From a file system of the build's own it is copied.
 * Returns the reason if there is no room for it.
 */
export async function moveRelease(
  source: string,
  release: string,
  minFreeBytes: number,
  onError: (error: unknown) => void,
): Promise<string | undefined> {
  await removeFolder(release, onError)
  await mkdir(dirname(release), { recursive: true, mode: 0o700 })
  try {
    await rename(source, release)
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
  }
  const { bavail, bsize } = await statfs(dirname(release))
  if (bavail * bsize < minFreeBytes + (await folderBytes(source))) return 'The disk of the server is nearly full.'
  const part = `${release}.part`
  await removeFolder(part, onError)
  await runToEnd('cp', ['-a', '--', source, part])
  await rename(part, release)
  return undefined
}
