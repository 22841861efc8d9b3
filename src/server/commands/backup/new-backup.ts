import type { Writable } from 'node:stream'

/** Where a backup is written. It has its name only after `finish`. */
export type NewBackup = {
  /** Frees the buffers that are written to it, except for standard output. */
  readonly to: Writable
  finish(): Promise<void>
  /** Removes what was written. */
  abandon(): Promise<void>
}
