export type AgentLimits = {
  /** Calls of the model. */
  readonly steps: number
  /** Time of the whole run. */
  readonly milliseconds: number
  /** Tokens that one answer may have. */
  readonly outputTokens: number
  /** Tool calls that one answer may have. */
  readonly callsPerStep: number
}

export const AGENT_LIMITS: AgentLimits = {
  steps: 16,
  milliseconds: 10 * 60_000,
  outputTokens: 4_000,
  callsPerStep: 6,
}

const MIN_CEILING = 20_000
const MAX_CEILING = 200_000

/**
 * Returns how many tokens a run may use: twice its share of what is left of the pool today, so that the first app of a
 * night does not use up what the others need. `waiting` counts the apps whose run waits or goes on, this one included.
 */
export function ceilingOf(remaining: number, waiting: number): number {
  const share = Math.floor((2 * remaining) / Math.max(waiting, 1))
  return Math.min(Math.max(share, MIN_CEILING), MAX_CEILING)
}
