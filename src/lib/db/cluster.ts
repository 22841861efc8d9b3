import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { isBundled, rootFolder } from '../bundle.ts'
import { readTarEntries } from './tar-entries.ts'

/** The version of the engine whose empty cluster ships with the product. `scripts/make-cluster.ts` makes it. */
export const CLUSTER_VERSION = '0.5.14'

const ARCHIVE = `empty-cluster-${CLUSTER_VERSION}.tar.zst`
const FILES_AT_ONCE = 16

/** Archive of an empty cluster. Unpacking it takes a tenth of the time that making a cluster takes. */
export const EMPTY_CLUSTER = isBundled ? join(rootFolder, ARCHIVE) : join(rootFolder, 'src', 'lib', 'db', ARCHIVE)

/**
 * Makes the cluster in `folder` from an archive, the shipped one if none is named. It works under another name and
 * renames at the end, so that a killed process leaves no half cluster behind.
 */
export async function makeCluster(folder: string, archive: string = EMPTY_CLUSTER): Promise<void> {
  const part = `${folder}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(dirname(folder), { recursive: true })
  await unpack(await readArchive(archive), part)
  await rename(part, folder)
}

/** Returns the tar file in an archive of a cluster. */
export async function readArchive(archive: string): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readFile(archive)
  return archive.endsWith('.zst') ? await promisify(zstdDecompress)(bytes) : bytes
}

export function isCluster(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
}

/** Writes the files some at a time, so that other work of the process goes on meanwhile. */
async function unpack(tar: Buffer, to: string): Promise<void> {
  const entries = readTarEntries(tar)
  await mkdir(to, { mode: 0o700 })
  for (const { path } of entries.filter(({ isFolder }) => isFolder)) {
    await mkdir(join(to, path), { recursive: true, mode: 0o700 })
  }
  const files = entries.filter(({ isFolder }) => !isFolder)
  for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
    const some = files.slice(at, at + FILES_AT_ONCE)
    await Promise.all(some.map(({ path, bytes }) => writeFile(join(to, path), bytes, { mode: 0o600 })))
  }
}
