const PROPOSAL_STATUSES = [
  'validating',
  'ready',
  'invalid',
  'approved',
  'denied',
  'superseded',
  'expired',
  'deploying',
  'deployed',
  'deploy_failed',
] as const
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number]
