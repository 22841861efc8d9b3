/**
 * How a maintenance run can end: what the console shows as a chip, what it means, and the exit code of the client.
 * The set is closed. Clients decide by the outcome, never by the terminal code.
 */
export const OUTCOMES = {
  found_nothing: { chip: 'Ran, found nothing', meaning: 'A complete look with nothing to report', exit: 0 },
  finding_recorded: { chip: 'Finding recorded', meaning: 'A finding with a summary and a fingerprint', exit: 11 },
  proposed: { chip: 'A proposal in the change queue', meaning: 'A change of the code waits for a decision', exit: 0 },
  budget_exhausted: { chip: 'Budget limited', meaning: 'The shared token pool ran out', exit: 0 },
  skipped: { chip: 'Skipped', meaning: 'Another run held the app', exit: 0 },
  agent_error: { chip: 'Agent error', meaning: 'The agent could not finish. This says nothing about the app', exit: 1 },
  fenced: { chip: 'Stopped', meaning: 'Maintenance was switched off, or the run was cancelled', exit: 6 },
} as const satisfies Record<string, Presentation>

type Presentation = { readonly chip: string; readonly meaning: string; readonly exit: number }
export type Outcome = keyof typeof OUTCOMES

/** Shown by a client for an outcome that it does not know, such as one of a newer server. Never a healthy result. */
const UNRECOGNISED: Presentation = {
  chip: 'Unrecognised result',
  meaning: 'This client does not know the result. Upgrade it',
  exit: 1,
}

export function presentOutcome(outcome: string): Presentation {
  return Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome as Outcome] : UNRECOGNISED
}

/** The reason why a run ended, with the outcome it belongs to. */
export const TERMINAL_CODES = {
  found_nothing: 'found_nothing',
  unchanged_evidence: 'found_nothing',
  finding_recorded: 'finding_recorded',
  finding_repeat: 'finding_recorded',
  detector_only: 'finding_recorded',
  proposal_limit_day: 'finding_recorded',
  proposal_invalid: 'finding_recorded',
  proposed: 'proposed',
  budget_exhausted: 'budget_exhausted',
  held_by_other: 'skipped',
  model_error: 'agent_error',
  model_refused: 'agent_error',
  bad_final: 'agent_error',
  invented_evidence: 'agent_error',
  step_limit: 'agent_error',
  timeout: 'agent_error',
  tool_error: 'agent_error',
  lease_expired: 'agent_error',
  internal: 'agent_error',
  fenced_app_disabled: 'fenced',
  fenced_org_disabled: 'fenced',
  cancelled_disabled: 'fenced',
  cancelled_by_user: 'fenced',
} as const satisfies Record<string, Outcome>

export type TerminalCode = keyof typeof TERMINAL_CODES
