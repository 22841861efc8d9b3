import type { DeployState } from '#contract/apps/deploys.ts'
import type { ProposalStatus } from '#contract/maintenance/proposals.ts'

export type StoredStatus = 'validating' | 'ready' | 'invalid' | 'approved' | 'denied'

type Facts = {
  readonly stored: StoredStatus
  readonly baseRevisionId: string
  readonly liveRevisionId: string | null
  /** When it became ready. */
  readonly readyAt: Date | null
  /** State of the deploy that its approval queued. */
  readonly deployState: DeployState | undefined
}

const EXPIRES_MS = 14 * 24 * 3_600_000

/** Returns the status of a proposal, from its stored status and the state of its app. */
export function statusOf(facts: Facts, now: Date): ProposalStatus {
  switch (facts.stored) {
    case 'validating':
    case 'invalid':
    case 'denied':
      return facts.stored
    case 'ready':
      if (facts.baseRevisionId !== facts.liveRevisionId) return 'superseded'
      return now.getTime() - (facts.readyAt?.getTime() ?? 0) > EXPIRES_MS ? 'expired' : 'ready'
    case 'approved':
      return facts.deployState === undefined ? 'approved' : AFTER_APPROVAL[facts.deployState]
    default:
      throw new Error(`unknown status ${String(facts.stored satisfies never)}`)
  }
}

/** By the state of the deploy that the approval queued. */
const AFTER_APPROVAL: Record<DeployState, ProposalStatus> = {
  queued: 'deploying',
  building: 'deploying',
  starting: 'deploying',
  live: 'deployed',
  retired: 'deployed',
  failed: 'deploy_failed',
  superseded: 'superseded',
}
