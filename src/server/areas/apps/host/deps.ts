import type { Db } from '#lib/db/db.ts'
import type { SourceFile, Target } from '../deploys/target.ts'
import type { WriteLog } from '../model/write-log.ts'
import type { HostTime } from './probe.ts'
import type { AppTraffic } from './traffic.ts'

export type HostDeps = {
  readonly db: Db
  readonly target: Target
  readonly traffic: AppTraffic
  readonly time: HostTime
  readonly writeLog: WriteLog
  /** Resolves when the lines that were written of the app are stored, or cannot be soon. Never rejects. */
  readonly logStored: (appId: string) => Promise<void>
  /** The files of a revision, for a build. */
  readonly readFiles: (orgId: string, revisionId: string) => AsyncIterable<SourceFile>
  /** The variables of an app as they are now. */
  readonly readVariables: (appId: string) => Promise<Readonly<Record<string, string>>>
  readonly onError: (error: unknown, appId: string) => void
}

/** The parts that the process which runs apps hands in. */
export type Hosting = Pick<HostDeps, 'target' | 'traffic' | 'writeLog' | 'logStored' | 'onError'>
