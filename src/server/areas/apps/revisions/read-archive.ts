import { createHash } from 'node:crypto'
import {
  MAX_ARCHIVE_BYTES,
  MAX_FILE_BYTES,
  MAX_REVISION_BYTES,
  MAX_REVISION_FILES,
  type RevisionFile,
} from '#contract/apps/revisions.ts'
import { invalidRevision } from './faults.ts'
import { gunzip } from './gunzip.ts'
import { FILE_TOO_LARGE, TOO_MANY_BYTES, TOO_MANY_FILES } from './manifest.ts'
import { ByteReader } from './tar/byte-reader.ts'
import { TarFault } from './tar/header.ts'
import { readTar, type TarEntry } from './tar/read-tar.ts'

type ArchivedFile = RevisionFile & { readonly content: Buffer }

type Body = { readonly bytes: AsyncIterable<Uint8Array>; readonly isGzip: boolean }

/**
 * Yields the files of an archive as they arrive, one in memory at a time. Refuses with INVALID_REVISION what is no
 * archive of files and folders or exceeds the limits of a revision, before the content at fault is read. `checkPath`
 * returns why a path is refused.
 */
export async function* readArchive(
  { bytes, isGzip }: Body,
  checkPath: (entry: TarEntry) => string | undefined,
): AsyncGenerator<ArchivedFile> {
  const reader = new ByteReader(isGzip ? gunzip(bytes, MAX_ARCHIVE_BYTES) : bytes)
  const limits = createLimits()
  try {
    for await (const entry of readTar(reader)) {
      if (entry.kind === 'directory' && (entry.path === '' || entry.path === '.')) continue
      const fault = checkPath(entry) ?? limits(entry)
      if (fault !== undefined) throw invalidRevision([{ path: entry.path, message: fault }])
      if (entry.kind === 'directory') continue
      const { path, executable, size } = entry
      const content = await entry.read()
      yield { path, executable, size, sha256: createHash('sha256').update(content).digest('hex'), content }
    }
  } catch (error) {
    throw error instanceof TarFault ? toRefusal(error) : error
  } finally {
    await reader.close()
  }
}

function toRefusal({ entry, message }: TarFault) {
  return invalidRevision([{ path: entry ?? 'archive', message }])
}

function createLimits(): (entry: TarEntry) => string | undefined {
  const kinds = new Map<string, TarEntry['kind']>()
  let fileCount = 0
  let totalBytes = 0
  return ({ path, kind, size }) => {
    const before = kinds.get(path)
    if (before !== undefined && before !== kind) return 'is both a file and a folder'
    if (before === 'file') return 'is named twice'
    kinds.set(path, kind)
    totalBytes += size
    if (kind === 'file') fileCount += 1
    if (fileCount > MAX_REVISION_FILES || kinds.size > 2 * MAX_REVISION_FILES) return `files ${TOO_MANY_FILES}`
    if (size > MAX_FILE_BYTES) return FILE_TOO_LARGE
    return totalBytes > MAX_REVISION_BYTES ? `the files ${TOO_MANY_BYTES}` : undefined
  }
}
