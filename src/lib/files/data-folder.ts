import { accessSync, constants, existsSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { writeFaultOf } from './write-fault.ts'

/** Thrown if the data folder cannot be written to. The message says why and what to do, without the path. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite'
  readonly code: unknown
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  }
}

const MIB = 1024 * 1024
/** The database writes its log in files of 16 MiB and stops if there is no room for the next one. */
export const MIN_FREE_BYTES = 32 * MIB

/**
 * Throws `CannotWrite` if the folder, or the nearest existing parent, is not writable or has less than `minFreeBytes`
 * free.
 */
export async function checkWritable(folder: string, minFreeBytes = MIN_FREE_BYTES): Promise<void> {
  const existing = nearestFolder(resolve(folder))
  try {
    accessSync(existing, constants.W_OK)
    await refuseFullDisk(existing, minFreeBytes)
    if (existing === resolve(folder)) await writeTestFile(join(existing, 'write-check'))
  } catch (error) {
    const message = writeFaultOf(error)
    throw message === undefined || error instanceof CannotWrite ? error : new CannotWrite(message, error)
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

async function refuseFullDisk(folder: string, minFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= minFreeBytes) return
  const [has, needs] = [free, minFreeBytes].map((bytes) => Math.floor(bytes / MIB))
  const words = `the disk is full: ${has} MiB are free and ${needs} MiB are needed; free some space`
  throw new CannotWrite(words, Object.assign(new Error('too little space'), { code: 'ENOSPC' }))
}

async function writeTestFile(file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.write(Buffer.alloc(4096))
  } finally {
    await handle.close()
    await rm(file, { force: true })
  }
}
