import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { folderBytes } from '#lib/files/folder-bytes.ts'
import { removeFolder } from '#lib/files/remove-folder.ts'
import { runToEnd } from '#lib/processes/start-process.ts'

/** Everything on disk that a command can write to, see `BuildPlace`. */
const WRITABLE = ['source', 'home']

type Folders = { readonly place: string; readonly copy: string }

/** Copies what a build left in its place. Returns the reason, a clause, if there is no copy. */
export async function saveBuilt({ place, copy }: Folders, minFreeBytes: number): Promise<string | undefined> {
  try {
    const names = WRITABLE.filter((name) => existsSync(join(place, name)))
    const sizes = await Promise.all(names.map((name) => folderBytes(join(place, name))))
    const bytes = sizes.reduce((total, each) => total + each, 0)
    const { bavail, bsize } = await statfs(copy)
    if (bavail * bsize < minFreeBytes + bytes) return 'the disk of the server is nearly full'
    for (const name of names) await copyFolder(join(place, name), join(copy, name))
    return undefined
  } catch {
    // A build can leave files that nobody may read.
    return 'the files of the build cannot be copied'
  }
}

/** Replaces everything in the place by the copy. Nothing may run there. */
export async function restoreBuilt({ place, copy }: Folders, onError: (error: unknown) => void): Promise<void> {
  for (const name of WRITABLE) {
    await removeFolder(join(place, name), onError)
    if (existsSync(join(copy, name))) await copyFolder(join(copy, name), join(place, name))
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await runToEnd('cp', ['-a', '--', from, to])
}
