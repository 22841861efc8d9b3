import { lstat, opendir, readdir, readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

export type DiskLimits = {
  readonly bytes: number
  readonly files: number
  readonly minFreeBytes: number
  /** Follows the number of bytes in messages, where it is not the usual limit. */
  readonly bytesNote?: string
}

export type DiskExcess = { readonly reason: string; readonly by: 'limit' | 'svc' }

/** Returns why a build must end: what it wrote is too much, or the disk that svc needs too is nearly full. */
export async function diskExcess(
  folder: string,
  limits: DiskLimits,
  firstPid: number | undefined,
): Promise<DiskExcess | undefined> {
  if (await isNearlyFull(folder, limits)) return NEARLY_FULL
  const used = { bytes: 0, files: 0 }
  const hidden = await measure(folder, used, limits)
  if (hidden) return { reason: hidden, by: 'limit' }
  if (firstPid !== undefined) used.bytes += await unlinkedBytes(firstPid, (await stat(folder)).dev)
  return excessOf(used, limits)
}

/** As `diskExcess`, of a build that writes to a file system of its own, whose size is little more than its limit. */
export async function sizedDiskExcess(
  disk: string,
  limits: DiskLimits,
  folder: string,
): Promise<DiskExcess | undefined> {
  if (await isNearlyFull(folder, limits)) return NEARLY_FULL
  const { blocks, bfree, bsize, files, ffree } = await statfs(disk)
  return excessOf({ bytes: (blocks - bfree) * bsize, files: files - ffree - OWN_INODES }, limits)
}

/** Inodes that an empty ext4 uses. */
const OWN_INODES = 11
const NEARLY_FULL: DiskExcess = { reason: 'the disk of the server is nearly full', by: 'svc' }

async function isNearlyFull(folder: string, { minFreeBytes }: DiskLimits): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < minFreeBytes
}

function excessOf(used: { bytes: number; files: number }, limits: DiskLimits): DiskExcess | undefined {
  if (used.bytes > limits.bytes) return over(`${Math.round(limits.bytes / 1024 / 1024)} MB${limits.bytesNote ?? ''}`)
  if (used.files > limits.files) return over(`${limits.files} files`)
  return undefined
}

function over(limit: string): DiskExcess {
  return { reason: `it wrote more than ${limit}`, by: 'limit' }
}

/** Bytes of files of the disk that have no name any more and that a process of the sandbox still holds open. */
async function unlinkedBytes(firstPid: number, disk: number): Promise<number> {
  const children = await readFile(`/proc/${firstPid}/task/${firstPid}/children`, 'utf8').catch(() => '')
  const proc = `/proc/${children.split(' ')[0]}/root/proc`
  const sizes = new Map<number, number>()
  for (const pid of (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    for (const name of await readdir(`${proc}/${pid}/fd`).catch(() => [])) {
      const file = await stat(`${proc}/${pid}/fd/${name}`).catch(() => undefined)
      if (file?.isFile() && file.nlink === 0 && file.dev === disk) sizes.set(file.ino, file.blocks * 512)
    }
  }
  return [...sizes.values()].reduce((total, each) => total + each, 0)
}

/** Reasons for which files cannot be counted, by the code of the error. ENOENT is none: the file was removed. */
const HIDING: Readonly<Record<string, string>> = {
  ENAMETOOLONG: 'it made a path longer than 4,096 bytes, below which files cannot be counted',
  EACCES: 'it made a folder that cannot be read, in which files cannot be counted',
}

/**
 * Adds up what is below a folder, and returns why it cannot. Files come and go meanwhile, and links are not followed.
 */
async function measure(
  folder: string,
  used: { bytes: number; files: number },
  limits: DiskLimits,
): Promise<string | undefined> {
  try {
    for await (const entry of await opendir(folder)) {
      if (used.bytes > limits.bytes || used.files > limits.files) return undefined
      const path = join(folder, entry.name)
      used.files++
      const hidden = entry.isDirectory() ? await measure(path, used, limits) : await measureFile(path, used)
      if (hidden) return hidden
    }
  } catch (error) {
    return hiding(error)
  }
  return undefined
}

async function measureFile(path: string, used: { bytes: number }): Promise<string | undefined> {
  try {
    used.bytes += (await lstat(path)).blocks * 512
  } catch (error) {
    return hiding(error)
  }
  return undefined
}

function hiding(error: unknown): string | undefined {
  return HIDING[(error as NodeJS.ErrnoException).code ?? '']
}
