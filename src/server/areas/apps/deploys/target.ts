import type { AppAddress } from '../door/messages.ts'

/** One file of a revision, as a build gets it. */
export type SourceFile = { readonly path: string; readonly executable: boolean; readonly content: Uint8Array }

/**
 * Called for each line that a build or an app writes. `system` are lines of svc about it, such as a refused connection.
 * A line has at most 64 KiB; longer ones come in parts. It is not cleaned of control characters.
 */
export type OnLine = (line: {
  readonly stream: 'stdout' | 'stderr' | 'system'
  readonly text: string
  /** When it was written, where that is known better than by when it arrived. */
  readonly at?: Date
  /** How many lines are missing, for a line that says so. */
  readonly dropped?: number
}) => void

/** A deploy as targets see it. */
export type DeployFacts = {
  readonly orgId: string
  readonly appId: string
  readonly deployId: string
  readonly revisionId: string
  readonly buildCommand: string | null
  readonly startCommand: string | null
  readonly healthPath: string
}

/** An app as targets see it. */
export type AppRef = { readonly id: string; readonly orgId: string }

export type BuildRequest = {
  readonly deploy: DeployFacts
  readonly files: AsyncIterable<SourceFile>
  /** Variables of the app. What svc itself adds (PORT, HOME, proxy variables) comes from the target. */
  readonly environment: Readonly<Record<string, string>>
  readonly onLine: OnLine
  readonly signal: AbortSignal
}

/** `START_FAILED`: a target that makes the instance together with the build could not make it. */
type BuildFailure = 'BUILD_FAILED' | 'START_FAILED' | 'TIMED_OUT'

export type BuildResult =
  | { readonly ok: true; readonly release: Release }
  | { readonly ok: false; readonly code: BuildFailure; readonly detail: string }

/** The result of a build, from which an app is started. It outlives the process of svc: an app is started again without a build. */
export type Release = { readonly deployId: string }

/**
 * Time of the newest line that is stored, and how many lines of that time are stored or reported as missing. `dropped`: how
 * many lines are missing behind it, and from when on.
 */
export type StoredLines = {
  readonly at: Date
  readonly count: number
  readonly dropped?: { readonly count: number; readonly since: Date }
}

export type StartRequest = {
  readonly deploy: DeployFacts & { readonly startCommand: string }
  readonly release: Release
  readonly environment: Readonly<Record<string, string>>
  readonly onLine: OnLine
  /** The fence of the lease under which the app is hosted. */
  readonly fence: number
  /** The newest line of the app that is stored, for a target whose apps write while no process of svc reads. */
  readonly storedLines: () => Promise<StoredLines | undefined>
  /** Called when answers of the app were shown to end the process that handles the bytes of all apps. */
  readonly onHarmful: () => void
  /** A start that is under way when it is aborted rejects soon. What it began ends, or the next start finds it. */
  readonly signal: AbortSignal
}

/** Thrown by `start` when an instance could not be made at all. The message is for people. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Why an instance ended, in words that people read: "exit code 1", "killed: it used more than 512 MB of memory". */
export type InstanceEnd = {
  readonly description: string
  /** Whether svc ended it for reasons of its own, such as the end of the process that kept it. */
  readonly isOurs?: boolean
  /** Whether it has not ended at all: this server only lost sight of it. */
  readonly goesOn?: boolean
}

/** How long WebSockets of an instance that gets no requests any more stay open: at most until the signal is aborted. */
export type KeptSockets = { readonly ms: number; readonly signal: AbortSignal }

/** One running copy of an app. */
export type Instance = {
  /** Where the door finds the app. */
  readonly address: AppAddress
  /**
   * Sends a request of svc itself to the app. Rejects with a SocketFetchError, or with the reason of the request's signal.
   * Returns only the status and the start of the body.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** Sends visitors' requests of the label to it from now on. Undefined where svc itself finds the way for each. */
  readonly route?: ((label: string) => Promise<void>) | undefined
  /** Sends it no more of them. */
  readonly unroute?: (() => void) | undefined
  /**
   * Resolves when nothing that came by `route` is under way any more, or when the time for it is over: `graceMs` for
   * requests. WebSockets are closed at once, or after the time in `keptSockets`.
   */
  readonly drain?: ((graceMs: number, keptSockets?: KeptSockets) => Promise<void>) | undefined
  /** Whether `leave` lets it go on. Undefined: it depends on nobody here. */
  readonly outlives?: (() => boolean) | undefined
  /** Resolves when the instance has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<InstanceEnd>
  /** Asks the app to end and kills it after the grace time. Resolves when everything it started is gone. */
  readonly stop: (graceMs: number) => Promise<void>
  /**
   * Called when this process stops to host the app, and another may host it. Ends an instance that cannot outlive this
   * process, in the grace time; another one goes on, and `start` of the next process finds it.
   */
  readonly leave: (graceMs: number) => Promise<void>
}

/** Where the apps of a target go on when the server ends. */
export type TargetKeeper = {
  readonly id: string
  /** To be called when no other machine may host the app for some time from now on. */
  readonly held: (appId: string) => void
  /** Whether the apps go on when this server stops in order. */
  readonly leavesApps: () => boolean
}

/** Where apps are built and run. */
export type Target = {
  /** Rejects with the reason of the signal when that aborts; nothing of the build runs in this process by then. */
  readonly build: (request: BuildRequest) => Promise<BuildResult>
  /** Returns the release of a deploy that was built earlier, or undefined if it is gone and must be built again. */
  readonly findRelease: (app: AppRef, deployId: string) => Promise<Release | undefined>
  /** Starts the app, or finds the instance that runs already. Throws a StartError when it cannot be run at all. */
  readonly start: (request: StartRequest) => Promise<Instance>
  /** Removes the releases of an app, except those of the deploys that are named. */
  readonly prune: (app: AppRef, keep: readonly string[]) => Promise<void>
  /** Ends what a former process of svc left running of this app, except what belongs to the named deploys. */
  readonly endOrphans: (
    app: AppRef & { readonly fence: number },
    deploys: readonly { readonly id: string; readonly isLive: boolean }[],
  ) => Promise<void>
  /** Undefined where apps end with the server, or run in a cluster. */
  readonly keeper?: (() => Promise<TargetKeeper>) | undefined
  /** Sentences for the operator, such as that apps run without a sandbox. */
  readonly warnings: () => Promise<readonly string[]>
}
