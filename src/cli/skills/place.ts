import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import type { Scope } from './agents.ts'

/** A file to be, with what is there now. `real` is where links lead: a link stays one. */
export type Place = { readonly real: string; readonly before: Buffer | undefined; readonly mode: number | undefined }

export type Base = { readonly folder: string; readonly scope: Scope }

/** Or in words why nothing can be written there. */
export async function findPlace(base: Base, path: string): Promise<Place | string> {
  try {
    const real = await follow(join(base.folder, path))
    if (real === undefined) return 'is a link that leads nowhere'
    // A project comes from others; its links must not lead us to files that are not part of it.
    if (base.scope === 'project' && !isInside(await realpath(base.folder), real)) return 'is a link out of this folder'
    const found = await stat(real).catch(ifMissing)
    if (!found) return { real, before: undefined, mode: undefined }
    if (!found.isFile()) return 'is not a file'
    return { real, before: await readFile(real), mode: found.mode & 0o777 }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return 'has a file in the place of a folder'
    if (code === 'ELOOP') return 'is a link that leads to itself'
    throw new ServiceError('INTERNAL', `cannot read ${path}: ${message}`, { cause: error })
  }
}

/** The path without links, also where its end is not there yet. Undefined for a link to nothing. */
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
