import type { Proposal, ProposalStatus } from '#contract/maintenance/proposals.ts'

type Shown = {
  readonly word: string
  readonly tone: 'success' | 'attention' | 'failure' | 'running' | 'plain'
}

const STATUSES: Record<ProposalStatus, Shown> = {
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
  not_run: 'Nothing was checked.',
}

export function showProposalStatus(status: ProposalStatus): Shown {
  return STATUSES[status]
}

export function explainValidation(validation: Proposal['validation']): string {
  return validation === null ? 'Not checked yet.' : VALIDATIONS[validation]
}

/** Whether the proposal goes on by itself. */
export function isProposalMoving({ status }: { status: ProposalStatus }): boolean {
  return STATUSES[status].tone === 'running'
}

const NAMES = Object.keys(STATUSES) as ProposalStatus[]

export const PROPOSAL_FILTERS = [
  { value: 'ready', label: 'Waiting for a decision' },
  { value: 'any', label: 'Any state' },
  ...NAMES.filter((name) => name !== 'ready').map((value) => ({ value, label: STATUSES[value].word })),
] as const
