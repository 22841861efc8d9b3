import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { buildFolder, rootFolder } from '../../files/bundle.ts'
import { type EmptyCluster, type PreparedSchema, withPreparedSchema } from './prepared-schema.ts'
import { readTarEntries, type TarEntry } from './tar-entries.ts'

/** The version of the engine whose empty cluster ships with the product. `scripts/make-cluster.ts` makes it. */
export const CLUSTER_VERSION = '0.5.14'

const ARCHIVE = `empty-cluster-${CLUSTER_VERSION}.tar.zst`
const FILES_AT_ONCE = 16
/** More than a cluster has, so that it is one piece: with Node's usual 16 KiB it takes five times as long. */
const UNPACKED_BYTES = 64 * 1024 * 1024

/** Archive of an empty cluster. Unpacking it takes a tenth of the time that making a cluster takes. */
export const EMPTY_CLUSTER = join(buildFolder ?? join(rootFolder, 'src', 'lib', 'db', 'embedded'), ARCHIVE)

/**
 * Makes the cluster in `folder` from an archive, the shipped one if none is named, with a schema that was prepared from
 * the same archive. It works under another name and
 * renames at the end, so that a killed process leaves no half cluster behind.
 */
export async function makeCluster(
  folder: string,
  archive: string = EMPTY_CLUSTER,
  prepared?: PreparedSchema,
): Promise<void> {
  const part = `${folder}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(dirname(folder), { recursive: true })
  const entries = readTarEntries(await readClusterArchive(archive))
  await unpack(prepared ? await addSchema({ entries, digest: digestOf(archive) }, prepared) : entries, part)
  await rename(part, folder)
}

async function addSchema(empty: EmptyCluster, { archive, checksums }: PreparedSchema): Promise<readonly TarEntry[]> {
  if (!existsSync(archive)) return empty.entries
  return withPreparedSchema(empty, readTarEntries(await readClusterArchive(archive)), checksums)
}

/** Identifies an archive by its content. */
export function digestOf(archive: string): string {
  return hash('sha256', readFileSync(archive))
}

/** Returns the tar file in an archive of a cluster. */
export async function readClusterArchive(archive: string): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readFile(archive)
  return archive.endsWith('.zst') ? await promisify(zstdDecompress)(bytes, { chunkSize: UNPACKED_BYTES }) : bytes
}

export function isCluster(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
}

/** Writes the files some at a time, so that other work of the process goes on meanwhile. */
async function unpack(entries: readonly TarEntry[], to: string): Promise<void> {
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
