import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, opendir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type Entry, extract, type Pack, pack } from 'tar-stream'

/** A file up to this size is read and written as a whole, because its streams would take several times as long. */
const WHOLE_BYTES = 512 * 1024

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
  const header = { name, size, mode: 0o600, mtime: new Date(0) }
  if (size > WHOLE_BYTES) return pipeline(createReadStream(path), tar.entry(header))
  const bytes = await readFile(path)
  await new Promise<void>((resolve, reject) => {
    tar.entry(header, bytes, (error) => (error ? reject(error) : resolve()))
  })
}

/** Writes the files of such a tar file into a new folder, for its owner alone. */
export async function unpackFolder(tar: Readable, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const entries = extract()
  const read = pipeline(tar, entries)
  read.catch(() => undefined)
  const folders = new Set<string>()
  const makeFolder = async (path: string) => {
    if (folders.has(path)) return
    await mkdir(path, { recursive: true, mode: 0o700 })
    folders.add(path)
  }
  for await (const entry of entries) {
    const { name, type } = entry.header
    const path = join(folder, name)
    // The names come from the folder of a database, in which a tenant may have made files.
    if (relative(folder, path).startsWith('..'))
      throw new Error(`the archive has a file outside of its folder: ${name}`)
    if (type === 'directory') await makeFolder(path)
    else {
      await makeFolder(dirname(path))
      await writeEntry(entry, path)
    }
    entry.resume()
  }
  await read
}

async function writeEntry(entry: Entry, path: string): Promise<void> {
  const { size = Number.POSITIVE_INFINITY } = entry.header
  if (size > WHOLE_BYTES) return pipeline(entry, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
  await writeFile(path, await buffer(entry), { mode: 0o600, flag: 'wx' })
}
