import { accessSync, constants, existsSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { writeFaultOf } from './db/errors.ts'

/** Nothing can be written to the data folder. The message says why and what to do, without the path. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite'
  readonly code: unknown
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  }
}

const MIB = 1024 * 1024
/** The database writes its log in files of 16 MiB; without room for the next one it stops at any moment. */
export const MIN_FREE_BYTES = 32 * MIB

/** Throws `CannotWrite` unless a file can be written to the folder, or to where it will be made, with so much room. */
export async function checkWritable(folder: string, minFreeBytes = MIN_FREE_BYTES): Promise<void> {
  const place = nearestFolder(resolve(folder))
  try {
    accessSync(place, constants.W_OK)
    await refuseSmall(place, minFreeBytes)
    if (place === resolve(folder)) await writeOnce(join(place, 'write-check'))
  } catch (error) {
    const words = writeFaultOf(error)
    throw words === undefined || error instanceof CannotWrite ? error : new CannotWrite(words, error)
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

async function refuseSmall(folder: string, minFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= minFreeBytes) return
  const [has, needs] = [free, minFreeBytes].map((bytes) => Math.floor(bytes / MIB))
  const words = `the disk is full: ${has} MiB are free and ${needs} MiB are needed; free some space`
  throw new CannotWrite(words, Object.assign(new Error('too little space'), { code: 'ENOSPC' }))
}

async function writeOnce(file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.write(Buffer.alloc(4096))
  } finally {
    await handle.close()
    await rm(file, { force: true })
  }
}
