import { createReadStream, createWriteStream, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, opendir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import { type Entry, extract, type Pack, pack } from 'tar-stream'

/** Larger files are streamed. A database is many small ones, for each of which a stream costs more than its bytes. */
const SMALL_BYTES = 1024 * 1024
const FOR_OWNER = 0o600

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
  const { size } = lstatSync(path)
  const header = { name, size, mode: FOR_OWNER, mtime: new Date(0) }
  if (size > SMALL_BYTES) await pipeline(createReadStream(path), tar.entry(header))
  else await finished(tar.entry(header, readFileSync(path)))
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
      await writeEntry(entry, path)
    }
    entry.resume()
  }
  await read
}

async function writeEntry(entry: Entry, path: string): Promise<void> {
  const { size = 0 } = entry.header
  if (size > SMALL_BYTES) return pipeline(entry, createWriteStream(path, { mode: FOR_OWNER, flags: 'wx' }))
  writeFileSync(path, await buffer(entry), { mode: FOR_OWNER, flag: 'wx' })
}
