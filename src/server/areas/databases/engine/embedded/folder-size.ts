import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Adds up the files of a folder in which an untrusted process writes. Returns undefined if the folder is not there, if it
 * has more than `maxFiles` entries, or if some of it cannot be read. Links are not followed.
 */
export async function folderSize(folder: string, maxFiles: number): Promise<number | undefined> {
  try {
    let [bytes, entries] = [0, 0]
    // One folder is open at a time, however deep they are nested: open files are few.
    const folders = [folder]
    for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
      for await (const { name, isFolder } of entriesOf(path, path !== folder)) {
        entries++
        if (entries > maxFiles) return undefined
        if (isFolder) folders.push(join(path, name))
        else bytes += await fileSize(join(path, name))
      }
    }
    return Number.isSafeInteger(bytes) ? bytes : undefined
  } catch {
    return undefined
  }
}

async function* entriesOf(path: string, mayBeMissing: boolean) {
  try {
    for await (const entry of await opendir(path)) yield { name: entry.name, isFolder: entry.isDirectory() }
  } catch (error) {
    if (!mayBeMissing || !isMissing(error)) throw error
  }
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

/** A running database removes files while they are counted. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
