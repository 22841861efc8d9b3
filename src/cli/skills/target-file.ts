import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { localError } from '../command/hinted-error.ts'
import type { Scope } from './agents.ts'

/** A file to write and its current content. `real` is the path with links resolved, so that links are kept. */
export type TargetFile = {
  readonly real: string
  readonly before: Buffer | undefined
  readonly mode: number | undefined
}

export type Base = { readonly folder: string; readonly scope: Scope }

/** Finds where to write a file, or returns the reason why it cannot be written. */
export async function findTargetFile(base: Base, path: string): Promise<TargetFile | string> {
  try {
    const real = await follow(join(base.folder, path))
    if (real === undefined) return 'is a link to nothing'
    // A project can come from others, so its links must not lead to files outside of it.
    if (base.scope === 'project' && !isInside(await realpath(base.folder), real))
      return 'is a link that leads out of this folder'
    const found = await stat(real).catch(ifMissing)
    if (!found) return { real, before: undefined, mode: undefined }
    if (!found.isFile()) return 'is not a file'
    return { real, before: await readFile(real), mode: found.mode & 0o777 }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return 'has a file where a folder is needed'
    if (code === 'ELOOP') return 'is a link that leads to itself'
    throw localError(`Cannot read ${path}: ${message}.`, error)
  }
}

/** Resolves links, also if the end of the path does not exist yet. Returns undefined for a link to nothing. */
async function follow(path: string): Promise<string | undefined> {
  const real = await realpath(path).catch(ifMissing)
  if (real !== undefined) return real
  if (await lstat(path).catch(ifMissing)) return undefined
  const parent = await follow(dirname(path))
  return parent && join(parent, basename(path))
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way)
}
