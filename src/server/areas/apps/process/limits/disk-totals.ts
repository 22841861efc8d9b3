import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { folderBytes } from '#lib/files/folder-bytes.ts'
import { layoutOf } from '../layout.ts'

type DiskTotalsOptions = {
  readonly dataDir: string
  /** Most bytes that the releases and builds of one organization may take together. */
  readonly totalBytes: number
  readonly appIdsOf: (orgId: string) => Promise<readonly string[]>
}

/** A part of the organization's disk space, reserved for one build until `free` is called. */
type Reservation = { readonly bytes: number; readonly free: () => void }

export type DiskTotals = {
  /**
   * Reserves up to this many bytes for a build. It gets less where less is left, and undefined where nothing is.
   */
  readonly reserve: (orgId: string, bytes: number) => Promise<Reservation | undefined>
  /** Returns the message for a deploy that does not fit. */
  readonly full: () => string
}

const MIB = 1024 * 1024

/** Adds up what the releases of each organization take on the disk of this machine, and what its builds may write. */
export function createDiskTotals({ dataDir, totalBytes, appIdsOf }: DiskTotalsOptions): DiskTotals {
  const sizes = new Map<string, ReadonlyMap<string, number>>()
  const reserved = new Map<string, number>()

  /** A release never changes, so it is measured once. */
  const used = async (orgId: string): Promise<number> => {
    const former = sizes.get(orgId)
    const found = new Map<string, number>()
    for (const folder of await releasesOf(dataDir, await appIdsOf(orgId))) {
      const info = await lstat(folder).catch(() => undefined)
      if (!info) continue
      const key = `${folder} ${info.ino} ${info.ctimeMs}`
      found.set(key, former?.get(key) ?? (await folderBytes(folder).catch(() => 0)))
    }
    sizes.set(orgId, found)
    return [...found.values()].reduce((total, each) => total + each, 0)
  }

  return {
    full: () =>
      `The apps of this organization may take ${totalBytes / MIB} MB of the server's disk, which is too little for this ` +
      'deploy. Delete apps that are not needed, or ask the operator to raise SVC_APPS_DISK_PER_ORG_MB.',
    reserve: async (orgId, requestedBytes) => {
      const releases = await used(orgId)
      const builds = reserved.get(orgId) ?? 0
      const bytes = Math.min(requestedBytes, totalBytes - releases - builds)
      if (bytes < MIB) return undefined
      reserved.set(orgId, builds + bytes)
      const free = () => {
        const rest = (reserved.get(orgId) ?? 0) - bytes
        if (rest > 0) reserved.set(orgId, rest)
        else reserved.delete(orgId)
      }
      return { bytes, free }
    },
  }
}

async function releasesOf(dataDir: string, appIds: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    appIds.map(async (id) => {
      const { releases } = layoutOf(dataDir, id)
      return (await readdir(releases).catch(() => [])).map((name) => join(releases, name))
    }),
  )
  return lists.flat()
}
