import type { Verdict } from '#contract/checks/checks.ts'

/** The result of a run. Its detail is for people who build the app; it never goes into an event. */
export type Outcome =
  | { readonly verdict: Exclude<Verdict, 'indeterminate'>; readonly code: string; readonly detail: string }
  | { readonly verdict: 'indeterminate'; readonly code: Ceiling; readonly detail: string }

/** svc restarts the app, so nothing can be said about it. The run is begun again later. */
export type Restarting = 'restarting'

/** The limits at which a valid run ends without a decision, as `application.check.indeterminate` carries them. */
type Ceiling = 'evidence_limit' | 'budget_exhausted'

export type CheckedApp = { readonly orgId: string; readonly id: string }
