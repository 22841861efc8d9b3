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
  /** It ran several times, and not always with the same result. */
  | { readonly type: 'flaky' }
  /** The step was not begun, or svc ended it. `reason` is a clause for a sentence. */
  | { readonly type: 'not_run'; readonly reason: string }

/** One run of the tests of a trial. */
export type TestRun = {
  /** `ended`: a limit or svc ended it, or it needs the network, so that it says nothing about the app. */
  readonly result: 'passed' | 'failed' | 'ended'
  /** Such as `exit code 1`. */
  readonly reason: string
  /** The end of what it wrote, as it wrote it. */
  readonly output: string
}

export type AppTrial = {
  readonly build: TrialStep
  /** Undefined if it was not asked for. */
  readonly test?: TrialStep
  /** The runs of the tests, the first one first. Only if they were to run several times, and began. */
  readonly testRuns?: readonly TestRun[]
}

/** Time that several trials may take together. Waiting for a turn does not count. */
export type TrialTime = {
  /** All of it, to name it in a sentence. */
  readonly minutes: number
  readonly leftMs: () => number
  readonly spend: (ms: number) => void
}

type TrialRequest = AppRevision & {
  /** New text of changed and added files, by path. The others are as they are in the revision. */
  readonly texts: ReadonlyMap<string, string>
  /**
   * How often the tests run after a build that passed, each time in what that build left. 0: not at all. There are fewer
   * runs if two differ, if one ends without a result, or if together they take longer than one run may.
   */
  readonly testRuns: number
  /** A trial that is not over when no time is left is `not_run`. */
  readonly time: TrialTime
  readonly signal: AbortSignal
}

/**
 * Builds a changed revision where nothing of the app's environment, no network and no other file of the machine can be
 * reached, and throws the result away. Rejects with the reason of the signal when that aborts; nothing runs by then.
 */
export type TryAppRevision = (request: TrialRequest) => Promise<AppTrial>
