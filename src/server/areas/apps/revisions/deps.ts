import type { AppDeps } from '../model/deps.ts'

export type RevisionDeps = Pick<AppDeps, 'db' | 'clock'> & {
  /** Bytes of files and manifests that an organization may have stored. */
  readonly maxStoreBytes: number
}
