import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { constants, zstdCompressSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { TarEntry } from '../src/lib/db/embedded/tar-entries.ts'

/** Reads the files and folders of a cluster that is not open. */
export function entriesIn(folder: string): TarEntry[] {
  const names = globSync('**', { cwd: folder }).filter((name) => name !== '.')
  return names.sort().map((name) => {
    const path = join(folder, name)
    const isFolder = statSync(path).isDirectory()
    return { path: `/${name}`, isFolder, bytes: isFolder ? Buffer.alloc(0) : readFileSync(path) }
  })
}

/** Writes a tar file without times, compressed with a long window because a cluster has three databases that are alike. */
export async function writeArchive(file: string, entries: readonly TarEntry[]): Promise<void> {
  const archive = pack()
  for (const { path: name, isFolder, bytes } of entries) {
    const header = { name, mtime: new Date(0) }
    if (isFolder) archive.entry({ ...header, type: 'directory' })
    else archive.entry(header, bytes)
  }
  archive.finalize()
  const params = {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: 26,
  }
  const bytes = zstdCompressSync(await buffer(archive), { params })
  writeFileSync(file, bytes)
  console.log(`${file}: ${bytes.length} bytes`)
}
