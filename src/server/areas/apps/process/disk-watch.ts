import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'

export type DiskLimits = { readonly bytes: number; readonly files: number; readonly minFreeBytes: number }

type DiskExcess = { readonly reason: string; readonly by: 'limit' | 'svc' }

/** Returns why a build must end: what it wrote is too much, or the disk that svc needs too is nearly full. */
export async function diskExcess(folder: string, limits: DiskLimits): Promise<DiskExcess | undefined> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < limits.minFreeBytes) return { reason: 'the disk of the server is nearly full', by: 'svc' }
  const used = { bytes: 0, files: 0 }
  await measure(folder, used, limits)
  if (used.bytes > limits.bytes) return over(`${Math.round(limits.bytes / 1024 / 1024)} MB`)
  if (used.files > limits.files) return over(`${limits.files} files`)
  return undefined
}

function over(limit: string): DiskExcess {
  return { reason: `it wrote more than ${limit}`, by: 'limit' }
}

/** Adds up what is below a folder. Files come and go meanwhile, and links are not followed. */
async function measure(folder: string, used: { bytes: number; files: number }, limits: DiskLimits): Promise<void> {
  const entries = await opendir(folder).catch(() => [])
  for await (const entry of entries) {
    if (used.bytes > limits.bytes || used.files > limits.files) return
    const path = join(folder, entry.name)
    used.files++
    if (entry.isDirectory()) await measure(path, used, limits)
    else used.bytes += ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512
  }
}
