import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { EMPTY_CLUSTER, readClusterArchive } from '#lib/db/embedded/cluster.ts'

/** A file, or a folder if it has no size. */
type Entry = { readonly path: string; readonly mode: number; readonly size?: number }

const WINDOW_LOG = 27
/** More than a data folder has, so that it is one piece. */
const UNPACKED_BYTES = 2 ** WINDOW_LOG

/**
 * Writes the whole data folder of a stopped server to a file: a line of JSON that lists the entries, then the content of
 * the files. The empty cluster is the dictionary of the compression, because every database of the folder began as one:
 * without it the file would be twice as large.
 */
export async function packDataFolder(folder: string, file: string): Promise<void> {
  const entries: Entry[] = []
  const contents: Buffer[] = []
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stats = statSync(join(folder, path))
    const isFile = stats.isFile()
    entries.push({ path, mode: stats.mode & 0o777, ...(isFile && { size: stats.size }) })
    if (isFile) contents.push(readFileSync(join(folder, path)))
  }
  const params = {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: WINDOW_LOG,
  }
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents])
  writeFileSync(file, zstdCompressSync(bytes, { dictionary: await dictionary(), params }))
}

/** Makes the data folder again as the release left it. */
export async function unpackDataFolder(file: string, folder: string): Promise<void> {
  const options = { dictionary: await dictionary(), chunkSize: UNPACKED_BYTES }
  const params = { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG }
  const bytes = zstdDecompressSync(readFileSync(file), { ...options, params })
  const listEnd = bytes.indexOf('\n')
  let at = listEnd + 1
  mkdirSync(folder, { mode: 0o700 })
  for (const { path, mode, size } of JSON.parse(bytes.toString('utf8', 0, listEnd)) as Entry[]) {
    if (size === undefined) mkdirSync(join(folder, path), { mode })
    else writeFileSync(join(folder, path), bytes.subarray(at, at + size), { mode })
    at += size ?? 0
  }
}

const dictionary = () => readClusterArchive(EMPTY_CLUSTER)
