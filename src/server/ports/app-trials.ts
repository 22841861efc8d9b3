import type { AppRevision } from './app-changes.ts'

/** How the build or the tests of a trial went. */
export type TrialStep =
  | { readonly type: 'passed' }
  /** The app declares no such step. */
  | { readonly type: 'absent' }
  | {
      readonly type: 'failed'
      /** It tried to reach a network, which a trial does not have. */
      readonly needsNetwork: boolean
      /** Such as `exit code 1`. */
      readonly reason: string
      /** The end of what it wrote, as it wrote it. */
      readonly output: string
    }
  /** The step was not begun, or svc ended it. `reason` is a clause for a sentence. */
  | { readonly type: 'not_run'; readonly reason: string }

export type AppTrial = {
  readonly build: TrialStep
  /** Undefined if it was not asked for. */
  readonly test?: TrialStep
}

type TrialRequest = AppRevision & {
  /** New text of changed files, by path. The others are as they are in the revision. */
  readonly texts: ReadonlyMap<string, string>
  /** Whether the tests run too, after a build that passed. */
  readonly withTests: boolean
  readonly signal: AbortSignal
}

/**
 * Builds a changed revision where nothing of the app's environment, no network and no other file of the machine can be
 * reached, and throws the result away. Rejects with the reason of the signal when that aborts; nothing runs by then.
 */
export type TryAppRevision = (request: TrialRequest) => Promise<AppTrial>
