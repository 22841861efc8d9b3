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

/** Says where a proposal stands, from what is stored and what became of its app. */
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
      return afterApproval(facts.deployState)
    default:
      throw new Error(`unknown status ${String(facts.stored satisfies never)}`)
  }
}

function afterApproval(state: DeployState | undefined): ProposalStatus {
  switch (state) {
    case undefined:
      return 'approved'
    case 'queued':
    case 'building':
    case 'starting':
      return 'deploying'
    case 'live':
    case 'retired':
      return 'deployed'
    case 'failed':
      return 'deploy_failed'
    case 'superseded':
      return 'superseded'
    default:
      throw new Error(`unknown state of a deploy ${String(state satisfies never)}`)
  }
}
