import { notFound } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import type { Redactor } from '#lib/redact/redact.ts'

export type AppName = { readonly id: string; readonly alias: string; readonly name: string }

/** Finds the apps of an organization, and never those of another one. */
export type AppDirectory = {
  /** Finds an app by its alias or its id. Returns undefined when there is none or it is being deleted. */
  find(orgId: string, aliasOrId: string): Promise<AppName | undefined>
  /** By id; apps that do not exist any more have no entry. */
  names(orgId: string, appIds: readonly string[]): Promise<ReadonlyMap<string, AppName>>
}

/**
 * Finds an app as `AppDirectory.find` does and holds off its deletion until the transaction ends. Rows of other areas that
 * belong to an app are added under it, so that nothing is added to an app that is being deleted.
 */
export type HoldApp = (tx: Tx, orgId: string, aliasOrId: string) => Promise<AppName | undefined>

/** Throws "No such app." for an app that the organization does not have, and for one that is being deleted. */
export async function requireApp(apps: Pick<AppDirectory, 'find'>, orgId: string, aliasOrId: string): Promise<AppName> {
  const app = await apps.find(orgId, aliasOrId)
  if (!app) throw notFound('app')
  return app
}

/** As `requireApp`, and holds off the deletion of the app as `HoldApp` does. */
export async function requireHeldApp(
  apps: { readonly hold: HoldApp },
  tx: Tx,
  orgId: string,
  aliasOrId: string,
): Promise<AppName> {
  const app = await apps.hold(tx, orgId, aliasOrId)
  if (!app) throw notFound('app')
  return app
}

/** The result of a request that svc itself made to an app. */
export type AppAnswer =
  | { readonly type: 'answered'; readonly response: Response }
  /** The app has no start command, so svc does not know where it runs; or it is unknown or being deleted. */
  | { readonly type: 'no_address' }
  /** Nothing was deployed yet, or the app ended and is not started again yet. */
  | { readonly type: 'not_running' }
  /** svc stopped the app with the process that hosts it, and has not started it again yet. */
  | { readonly type: 'restarting' }
  /** It runs, but broke the connection or did not accept one. */
  | { readonly type: 'no_answer' }

/** A start of an app by svc, after the process that hosted it stopped or was lost. */
export type AppRestart = {
  /** Whether the app has answered requests since. */
  readonly isServed: boolean
}

/** Asks apps that this process runs, without the way through the public network. */
export type AppProbe = {
  /** Returns those of the apps that another process hosts now, which must ask them itself. */
  hostedElsewhere(appIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Returns those of the apps that svc began to start again less than two minutes ago, because the process that hosted
   * them was restarted or lost. None of the apps may be hosted elsewhere.
   */
  restarts(appIds: readonly string[]): Promise<ReadonlyMap<string, AppRestart>>
  /** Sends a GET. Rejects only if the signal is aborted, or if the app cannot be looked up. */
  get(app: { readonly orgId: string; readonly id: string }, path: string, signal: AbortSignal): Promise<AppAnswer>
}

export type LogWindow = {
  readonly since: Date
  readonly until: Date
  /** Words that a line must contain, in any case. */
  readonly words: readonly string[]
  /** This level and above. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | null
}

type LogEvidenceLine = {
  readonly at: Date
  readonly level: string
  readonly text: string
  /** The revision of the deploy that wrote it. Left out or null if its deploy is not stated or not one of the app. */
  readonly revisionId?: string | null
}

type LogEvidence = {
  /** Oldest first. */
  readonly lines: readonly LogEvidenceLine[]
  /** False if lines of the window were dropped under pressure, or are more than could be read. */
  readonly isComplete: boolean
}

/** Reads logs of apps for parts that judge them. Both read a bounded number of the newest lines. */
export type AppLogs = {
  count(appId: string, window: LogWindow): Promise<{ readonly count: number; readonly isComplete: boolean }>
  /** Returns the newest lines of the window that fit into `maxBytes`. */
  read(appId: string, window: LogWindow, maxBytes: number): Promise<LogEvidence>
}

/** A file of a revision. `sha256` is the digest of its content in hex. */
export type SourceFile = { readonly path: string; readonly size: number; readonly sha256: string }

/** Reads the source of apps. */
export type AppSource = {
  /** Returns the revision that is live. Undefined for an app that was never deployed. */
  live(
    orgId: string,
    appId: string,
  ): Promise<{ readonly revisionId: string; readonly files: readonly SourceFile[] } | undefined>
  /** Returns the files of a revision, sorted by path. Undefined if the app has no such revision. */
  files(appId: string, revisionId: string, tx?: Tx): Promise<readonly SourceFile[] | undefined>
  /** Returns the content of a file by its exact path. Undefined if the revision has no such file. */
  read(appId: string, revisionId: string, path: string): Promise<Uint8Array | undefined>
  /** Yields the files of a revision by path, without those over `maxBytes`. */
  readAll(
    orgId: string,
    revisionId: string,
    maxBytes: number,
  ): AsyncIterable<{ readonly path: string; readonly content: Uint8Array }>
}

/**
 * Returns what hides the secrets of an app in texts for models, its variables included. Rejects if these cannot be
 * opened: then nothing may be sent.
 */
export type RedactorOf = (appId: string) => Promise<Redactor>

/** Lists the states of an app's checks, without paused ones. */
export type ListCheckStates = (
  appId: string,
) => Promise<readonly { readonly name: string; readonly state: string; readonly since: Date }[]>

/** Lists the newest runs of a check of an app that ended, newest first. Undefined if there is no such check. */
export type ListCheckRuns = (
  appId: string,
  name: string,
  limit: number,
) => Promise<
  | {
      readonly state: string
      readonly runs: readonly {
        readonly at: Date
        readonly verdict: string
        readonly code: string | null
        readonly detail: string | null
      }[]
    }
  | undefined
>

/** A request to an app. `host` and `isSecure` are what its client used. */
export type AppRequest = {
  readonly label: string
  readonly request: Request
  readonly clientAddress: string
  readonly host: string
  readonly isSecure: boolean
}
export type AnswerAppRequest = (request: AppRequest) => Promise<Response>
