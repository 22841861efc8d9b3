import type { Status } from '#console/parts/list/chip.tsx'
import type { Proposal, ProposalStatus } from '#contract/maintenance/proposals.ts'

export const PROPOSAL_STATES: Record<ProposalStatus, Status> = {
  validating: { word: 'Being checked', tone: 'running' },
  ready: { word: 'Waiting for a decision', tone: 'attention' },
  invalid: { word: 'Not valid', tone: 'failure' },
  approved: { word: 'Approved', tone: 'success' },
  denied: { word: 'Denied', tone: 'plain' },
  superseded: { word: 'Superseded', tone: 'plain' },
  expired: { word: 'Expired', tone: 'plain' },
  deploying: { word: 'Deploying', tone: 'running' },
  deployed: { word: 'Deployed', tone: 'success' },
  deploy_failed: { word: 'Deploy failed', tone: 'failure' },
}

const VALIDATIONS: Record<NonNullable<Proposal['validation']>, string> = {
  static: 'The changed files parse. The app was not built and its tests were not run.',
  built: 'The app builds with the change. Its tests were not run.',
  tested: 'The app builds with the change and its tests pass.',
  proven: 'The app builds with the change, its tests pass, and a test of the change fails without it.',
  not_run: 'Nothing was checked.',
}

export function explainValidation(validation: Proposal['validation']): string {
  return validation === null ? 'Not checked yet.' : VALIDATIONS[validation]
}

/** Whether the proposal goes on by itself. */
export function isProposalMoving({ status }: { status: ProposalStatus }): boolean {
  return PROPOSAL_STATES[status].tone === 'running'
}

const NAMES = Object.keys(PROPOSAL_STATES) as ProposalStatus[]

export const PROPOSAL_FILTERS = [
  { value: 'ready', label: 'Waiting for a decision' },
  { value: 'any', label: 'Any state' },
  ...NAMES.filter((name) => name !== 'ready').map((value) => ({ value, label: PROPOSAL_STATES[value].word })),
] as const
