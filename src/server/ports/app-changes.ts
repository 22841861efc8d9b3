import type { DeployState } from '#contract/apps/deploys.ts'
import type { FileChange } from '#contract/apps/revisions.ts'
import type { Querier, Tx } from '#lib/db/db.ts'

/** Names a revision. One of another app or organization is never found by it. */
export type AppRevision = { readonly orgId: string; readonly appId: string; readonly revisionId: string }

type AppChange = AppRevision & {
  /** New text of each changed or added file, by path. The others stay as they are in the revision. */
  readonly texts: ReadonlyMap<string, string>
  readonly message: string
  /** As the audit trail names who made the change. */
  readonly actor: string
  /** Called in the transaction, after the app is locked. Nothing is stored if it answers false. */
  readonly hold: (tx: Tx) => Promise<boolean>
}

/** Stores a changed revision as a new one and returns its id, or undefined if `hold` answered false. */
export type SaveAppChange = (change: AppChange) => Promise<string | undefined>

/** Compares a revision with another of its app. Patches are left out where the answer would be too large or too slow. */
export type DiffAppRevisions = (
  revision: AppRevision,
  baseId: string,
) => Promise<{ readonly files: FileChange[]; readonly truncated: boolean }>

/** Compares texts by path as `DiffAppRevisions` compares the files of two revisions. */
export type DiffAppTexts = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
) => ReturnType<DiffAppRevisions>

type AppDeployRequest = AppRevision & {
  /** The person who decided it. */
  readonly requestedBy: string | null
  /** As the audit trail names that person. */
  readonly actor: string
}

/** Which revision serves an app. `isDeploying`: a deploy waits or is under way, so that this may change soon. */
export type AppLive = { readonly liveRevisionId: string | null; readonly isDeploying: boolean }

/** Deploys apps for parts that decide about it. */
export type AppDeploys = {
  /** By app id. Apps that were never deployed have no entry. */
  live(db: Querier, appIds: readonly string[]): Promise<ReadonlyMap<string, AppLive>>
  /** By deploy id. */
  states(db: Querier, deployIds: readonly string[]): Promise<ReadonlyMap<string, DeployState>>
  /**
   * Holds off every other deploy and the deletion of the app until the transaction ends. Take this lock before those of
   * the caller's own rows. Returns undefined if there is no such app.
   */
  lock(tx: Tx, orgId: string, appId: string): Promise<AppLive | undefined>
  /** Queues the deploy of an approved change, as a person's deploy is queued, and returns its id. */
  queue(tx: Tx, request: AppDeployRequest): Promise<string>
}

/** A deploy that went live. `endedAt` is null while it serves. */
export type WentLive = {
  readonly id: string
  readonly revisionId: string
  readonly liveAt: Date
  readonly endedAt: Date | null
}

/** Lists the deploys of an app that went live since then, newest first, at most 50. */
export type ListWentLive = (db: Querier, appId: string, since: Date) => Promise<readonly WentLive[]>
