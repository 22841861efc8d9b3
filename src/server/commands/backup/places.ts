import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { ServiceError } from '#contract/core/errors.ts'
import { isAlive } from '#lib/processes/former-process.ts'
import type { Environment } from '../../config/reader.ts'
import { byteOutput } from '../../process/output.ts'
import { isBucketAddress, STANDARD_OUTPUT } from './address.ts'
import type { NewBackup } from './new-backup.ts'
import { writeFile } from './write-file.ts'

export async function createPlace(address: string, env: Environment): Promise<NewBackup> {
  if (address === STANDARD_OUTPUT) {
    return { to: byteOutput(), finish: async () => undefined, abandon: async () => undefined }
  }
  return isBucketAddress(address) ? (await openBucket(address, env)).create() : createFile(address)
}

/** Loaded only here, because a HTTP client takes more memory than the rest of a backup to a file. */
async function openBucket(address: string, env: Environment) {
  return (await import('./bucket.ts')).openBucket(address, env)
}

async function createFile(file: string): Promise<NewBackup> {
  await removeLeft(file)
  const part = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.part`
  // Found before the work begins, and not at its end.
  const to = await openNew(part)
  return {
    to,
    async finish() {
      await rename(part, file)
      await syncFolder(dirname(file))
    },
    abandon: () => rm(part, { force: true }),
  }
}

/** A process that was killed leaves the beginning of a backup, which can be large. Its name has the pid of the process. */
const PART = /^\.(\d+)-[0-9a-f]{8}\.part$/

async function removeLeft(file: string): Promise<void> {
  const [folder, own] = [dirname(file), basename(file)]
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = name.startsWith(own) ? Number(PART.exec(name.slice(own.length))?.[1] ?? 0) : 0
    // In containers the process that ended often had the pid of this one.
    if (pid !== 0 && (pid === process.pid || !isAlive(pid))) await rm(join(folder, name), { force: true })
  }
}

async function openNew(file: string): Promise<Writable> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw new ServiceError('INVALID_REQUEST', `The backup cannot be written: ${String(error)}`)
  })
  return writeFile(handle)
}

/** Without this, the name of the file can be lost when the power is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Opens a backup. Each call begins at its first byte. */
export async function readPlace(address: string, env: Environment): Promise<Readable> {
  if (address === STANDARD_OUTPUT) {
    throw new ServiceError('INVALID_REQUEST', 'A backup is read twice, so it must be a file or an s3:// address.')
  }
  if (isBucketAddress(address)) return (await openBucket(address, env)).read()
  const handle = await open(address, 'r').catch((error: unknown) => {
    throw new ServiceError('NOT_FOUND', `The backup cannot be read: ${String(error)}`)
  })
  return createReadStream('', { fd: handle })
}
