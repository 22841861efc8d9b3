import type { DiskLimits } from './disk-watch.ts'

const MIB = 1024 * 1024
const BUILD_DISK: DiskLimits = { bytes: 1024 * MIB, files: 200_000, minFreeBytes: 512 * MIB }

/** Limits of one app, of one build, and of all of an organization together. */
export type ProcessLimits = Readonly<typeof DEFAULT_LIMITS>

export const DEFAULT_LIMITS = {
  memoryBytes: 512 * MIB,
  buildMemoryBytes: 2048 * MIB,
  buildMs: 10 * 60_000,
  /** How long one step of a trial may take: the build, or the tests. */
  trialMs: 5 * 60_000,
  buildDisk: BUILD_DISK,
  /** Size of the tmpfs, the only place where an app can write. */
  tmpfsBytes: 128 * MIB,
  /** Processes and threads together. */
  processes: 256,
  /** Twice the connections of `socket-fetch` and of the proxy, which our script holds, and some more. */
  openFiles: 2048,
  /** Limits of all apps and builds of one organization together. */
  organization: { memoryBytes: 4096 * MIB, processes: 4096, diskBytes: 20_480 * MIB },
}
