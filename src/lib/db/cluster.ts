import { constants, existsSync } from 'node:fs'
import { cp, mkdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EngineThread } from './embedded.ts'

const making = new Map<string, Promise<void>>()

/** Makes an empty cluster in `folder`, unless there is one. This takes seconds; copying a cluster is much faster. */
export async function ensureCluster(folder: string): Promise<void> {
  if (isCluster(folder)) return
  const made = making.get(folder) ?? new EngineThread({ folder, onError: () => {} }).make()
  making.set(folder, made)
  await made.finally(() => making.delete(folder))
}

/** Copies under another name and renames at the end, so that a killed process leaves no half cluster in `to`. */
export async function copyCluster(from: string, to: string): Promise<void> {
  const part = `${to}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(dirname(to), { recursive: true })
  await cp(await realpath(from), part, { recursive: true, mode: constants.COPYFILE_FICLONE })
  await rename(part, to)
}

export function isCluster(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
}
