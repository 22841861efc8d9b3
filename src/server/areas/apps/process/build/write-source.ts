import { chmod, chown, constants, type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SourceFile } from '../../deploys/target.ts'

/** Fails where something is already there, a link included. */
const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW

/**
 * Writes the files of a revision into an empty folder, and returns how many there were. Nothing is written outside of
 * it: paths are checked again here, and only folders that this function made lie on the way. `owner` is the user that may
 * change them, if not ours.
 */
export async function writeSource(
  folder: string,
  files: AsyncIterable<SourceFile>,
  owner: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  const createdFolders = new Set(['.'])
  await makeFolder(folder, owner)
  for await (const { path, executable, content } of files) {
    signal.throwIfAborted()
    assertRelative(path)
    for (const parent of parentsOf(path)) {
      if (!createdFolders.has(parent)) await makeFolder(join(folder, parent), owner)
      createdFolders.add(parent)
    }
    await using file = await open(join(folder, path), NEW_FILE, 0o600)
    await fill(file, content, executable, owner)
    count++
  }
  return count
}

async function fill(file: FileHandle, content: Uint8Array, executable: boolean, owner: number | undefined) {
  await file.writeFile(content)
  // By chmod, because the mode of `open` is cut by the umask.
  await file.chmod(executable ? 0o755 : 0o644)
  if (owner !== undefined) await file.chown(owner, owner)
}

async function makeFolder(path: string, owner: number | undefined): Promise<void> {
  await mkdir(path)
  // By chmod, because the mode of `mkdir` is cut by the umask, which is strict in the server. Bubblewrap enters the
  // folder as a root that may do no more than others.
  await chmod(path, 0o755)
  if (owner !== undefined) await chown(path, owner, owner)
}

/** The folders on the way to a path, outermost first: `a/b/c` gives `a` and `a/b`. */
function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}

function assertRelative(path: string): void {
  const parts = path.split('/')
  if (path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new Error('a path of the revision leads outside of its folder')
  }
}
