import { openSizedDisk } from '#lib/processes/sized-disk.ts'
import { type DiskExcess, type DiskLimits, diskExcess, sizedDiskExcess } from '../limits/disk-watch.ts'

/** Where a build writes: below `source` and `home` of its folder. */
export type BuildPlace = AsyncDisposable & {
  readonly folder: string
  /** Returns why the build must end. `firstPid` is the first process of its sandbox. */
  readonly findExcess: (firstPid: number | undefined) => Promise<DiskExcess | undefined>
}

/**
 * Opens the place of a build in an existing folder: on a file system of its own where one can be made, so that the
 * kernel refuses what is too much; elsewhere what was written is added up while the build runs.
 */
export async function openBuildPlace(folder: string, limits: DiskLimits, isSized: boolean): Promise<BuildPlace> {
  if (!isSized) {
    const findExcess = (firstPid: number | undefined) => diskExcess(folder, limits, firstPid)
    return { folder, findExcess, [Symbol.asyncDispose]: async () => {} }
  }
  const disk = await openSizedDisk(folder, limits)
  return {
    folder: disk.path,
    findExcess: () => sizedDiskExcess(disk.path, limits, folder),
    [Symbol.asyncDispose]: () => disk[Symbol.asyncDispose](),
  }
}
