import type { Outcome } from '#contract/maintenance/outcomes.ts'

/** A line of an app's log. Without `level`, svc reads it from the text, as it does with what an app prints. */
export type Line = { readonly minutesAgo: number; readonly text: string; readonly level?: 'info' | 'warn' | 'error' }

type CheckRun = { readonly minutesAgo: number; readonly verdict: 'pass' | 'fail'; readonly detail: string }

/** A check and its runs, oldest first. The last one decides about its state. */
export type CheckHistory = { readonly name: string; readonly path: string; readonly runs: readonly CheckRun[] }

/** An app as a run finds it. */
export type Twin = {
  readonly files: Readonly<Record<string, string>>
  /** Oldest first. The same numbers give the same lines. */
  readonly logs: (random: () => number) => Line[]
  readonly checks: readonly CheckHistory[]
}

export type Edit = { readonly path: string; readonly old: string; readonly new: string }

/** The right report. A run that finds nothing has neither kind nor path. */
type Expected = { readonly outcome: Outcome; readonly kind: string | null; readonly path: string | null }

/** A fault, an app that has it and a twin that does not, and what is right to say about the first. */
export type Scenario = {
  readonly name: string
  /** The summary that an expert would write. */
  readonly summary: string
  readonly broken: Twin
  readonly clean: Twin
  readonly expected: Expected
  /** The log template by which the fault is known, or the check that fails. */
  readonly template?: string
  readonly check?: string
  /** The change that an expert would propose. Empty where no change of the source is right. */
  readonly change: readonly Edit[]
  /** An ES module that throws while the fault is there. It is no part of the app, so the agent never sees it. */
  readonly hiddenTest?: string
  /** Texts that must reach neither a model nor a person: secrets in the app's logs and source. */
  readonly secrets?: readonly string[]
  /** The fault was proposed to be changed in an earlier run, and a person denied that. */
  readonly wasDenied?: true
}

export const HOUR = 60
export const DAY = 24 * HOUR
