import type { Writable } from 'node:stream'

/** Where a backup is written. It has its name only after `finish`. */
export type NewBackup = {
  readonly to: Writable
  finish(): Promise<void>
  /** Removes what was written. */
  abandon(): Promise<void>
}
