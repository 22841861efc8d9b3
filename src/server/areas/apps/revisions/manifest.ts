import { createHash } from 'node:crypto'
import { MAX_FILE_BYTES, MAX_REVISION_BYTES, MAX_REVISION_FILES, type RevisionFile } from '#contract/apps/revisions.ts'
import type { Fault } from '#contract/core/errors.ts'
import { findPathFault } from './path.ts'

/** Sorts files by the bytes of their paths, so that the order depends on neither locale nor platform. */
export function sortFiles(files: readonly RevisionFile[]): RevisionFile[] {
  return files
    .map((file) => ({ file, key: Buffer.from(file.path) }))
    .sort((a, b) => a.key.compare(b.key))
    .map(({ file }) => file)
}

/** Returns the digest of a revision: SHA-256 over mode, content and path of each file. Takes sorted files. */
export function digestOf(sorted: readonly RevisionFile[]): Buffer {
  const hash = createHash('sha256')
  // A path cannot contain NUL, so the text has one meaning.
  for (const { path, executable, sha256 } of sorted) hash.update(`${executable ? 'x' : '-'} ${sha256} ${path}\0`)
  return hash.digest()
}

export function totalBytesOf(files: readonly RevisionFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** Returns everything that keeps files from being a revision. `nameOf` says how a fault names a file. */
export function findManifestFaults(
  files: readonly RevisionFile[],
  nameOf: (index: number, key: 'path' | 'size') => string,
): Fault[] {
  const faults = files.flatMap(({ path, size }, index) => {
    const pathFault = findPathFault(path)
    return [
      ...(pathFault === undefined ? [] : [{ path: nameOf(index, 'path'), message: pathFault }]),
      ...(size > MAX_FILE_BYTES ? [{ path: nameOf(index, 'size'), message: FILE_TOO_LARGE }] : []),
    ]
  })
  return [...faults, ...findClashes(files, nameOf), ...findTotalFaults(files)]
}

export const FILE_TOO_LARGE = `must have at most ${MAX_FILE_BYTES} bytes`
export const TOO_MANY_FILES = `must be at most ${MAX_REVISION_FILES}`
export const TOO_MANY_BYTES = `must have at most ${MAX_REVISION_BYTES} bytes in all`

function findTotalFaults(files: readonly RevisionFile[]): Fault[] {
  if (files.length === 0) return [{ path: 'files', message: 'must have at least one file' }]
  if (files.length > MAX_REVISION_FILES) return [{ path: 'files', message: TOO_MANY_FILES }]
  return totalBytesOf(files) > MAX_REVISION_BYTES ? [{ path: 'files', message: TOO_MANY_BYTES }] : []
}

/** Finds paths that are named twice, or that are the folder of another file. */
function findClashes(files: readonly RevisionFile[], nameOf: (index: number, key: 'path' | 'size') => string): Fault[] {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)))
  const seen = new Set<string>()
  return files.flatMap(({ path }, index) => {
    const isRepeated = seen.has(path)
    seen.add(path)
    if (isRepeated) return [{ path: nameOf(index, 'path'), message: 'is named twice' }]
    return folders.has(path) ? [{ path: nameOf(index, 'path'), message: 'is also the folder of another file' }] : []
  })
}

function foldersOf(path: string): string[] {
  const segments = path.split('/').slice(0, 64)
  return segments.slice(0, -1).map((_, depth) => segments.slice(0, depth + 1).join('/'))
}
