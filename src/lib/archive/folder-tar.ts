import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, opendir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, type Pack, pack } from 'tar-stream'

/** Returns the files and folders of a folder as a tar file. Nobody may change them meanwhile. Links are left out. */
export function packFolder(folder: string): Readable {
  const tar = pack()
  addAll(tar, folder).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  )
  return tar
}

async function addAll(tar: Pack, folder: string): Promise<void> {
  for await (const entry of await opendir(folder, { recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    if (entry.isDirectory()) tar.entry({ name, type: 'directory', mode: 0o700, mtime: new Date(0) })
    else if (entry.isFile()) await addFile(tar, path, name)
  }
}

async function addFile(tar: Pack, path: string, name: string): Promise<void> {
  const { size } = await lstat(path)
  await pipeline(createReadStream(path), tar.entry({ name, size, mode: 0o600, mtime: new Date(0) }))
}

/** Writes the files of such a tar file into a new folder, for its owner alone. */
export async function unpackFolder(tar: Readable, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const entries = extract()
  const read = pipeline(tar, entries)
  read.catch(() => undefined)
  for await (const entry of entries) {
    const { name, type } = entry.header
    const path = join(folder, name)
    // The names come from the folder of a database, in which a tenant may have made files.
    if (relative(folder, path).startsWith('..'))
      throw new Error(`the archive has a file outside of its folder: ${name}`)
    if (type === 'directory') await mkdir(path, { recursive: true, mode: 0o700 })
    else {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await pipeline(entry, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
    }
    entry.resume()
  }
  await read
}
