import type { ReadPart } from '#lib/archive/read-archive.ts'
import type { RestoreResult } from './finish-restore.ts'

/** An empty place that a backup is restored to. Nothing starts there before `finish` is done. */
export type RestoreTarget = AsyncDisposable & {
  /** The place in words: a folder, or the host and name of a database. */
  readonly place: string
  take(part: ReadPart): Promise<void>
  finish(): Promise<RestoreResult>
}
