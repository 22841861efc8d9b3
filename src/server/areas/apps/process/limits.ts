import type { DiskLimits } from './disk-watch.ts'

const MIB = 1024 * 1024

/** Limits of one app, of one build, and of all of an organization together. */
export type ProcessLimits = {
  readonly memoryBytes: number
  readonly buildMemoryBytes: number
  readonly buildMs: number
  /** How long one step of a trial may take: the build, or the tests. */
  readonly trialMs: number
  readonly buildDisk: DiskLimits
  /** Size of the tmpfs, the only place where an app can write. */
  readonly tmpfsBytes: number
  /** Processes and threads together. */
  readonly processes: number
  readonly openFiles: number
  /** Limits of all apps and builds of one organization together. */
  readonly organization: { readonly memoryBytes: number; readonly processes: number; readonly diskBytes: number }
}

export const DEFAULT_LIMITS: ProcessLimits = {
  memoryBytes: 512 * MIB,
  buildMemoryBytes: 2048 * MIB,
  buildMs: 10 * 60_000,
  trialMs: 5 * 60_000,
  buildDisk: { bytes: 1024 * MIB, files: 200_000, minFreeBytes: 512 * MIB },
  tmpfsBytes: 128 * MIB,
  processes: 256,
  // Twice the connections of `socket-fetch` and of the proxy, which our script holds, and some more.
  openFiles: 2048,
  organization: { memoryBytes: 4096 * MIB, processes: 4096, diskBytes: 20_480 * MIB },
}
