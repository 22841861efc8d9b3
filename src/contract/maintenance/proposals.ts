import { z } from 'zod'
import { Alias, byBuilder } from '../apps/app-access.ts'
import { FileChange } from '../apps/revisions.ts'
import { LONG_READS } from '../core/limits.ts'
import { jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { AfterDeploy } from './after-deploy.ts'
import { Proof } from './proof.ts'
import { Evidence } from './runs.ts'
import { byMaintenanceAdmin } from './settings.ts'

export const PROPOSAL_STATUSES = [
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

const PROPOSAL_ACTS = ['approve', 'deny', 'retry'] as const
export type ProposalAct = (typeof PROPOSAL_ACTS)[number]

/** The acts that the caller may do with a proposal. Clients show them and never derive them from the role. */
export const ProposalDecision = z.object({
  can_approve: z.boolean(),
  can_deny: z.boolean(),
  can_retry: z.boolean(),
  reasons: z
    .array(
      z.object({
        act: z.enum(PROPOSAL_ACTS),
        code: z
          .string()
          .describe('The code of the refusal, or `ONLY_APPROVER` for an act that is allowed as an exception'),
        text: z.string(),
      }),
    )
    .describe('Why an act is refused, or allowed although the caller asked for the change'),
})
export type ProposalDecision = z.infer<typeof ProposalDecision>

export const Proposal = z.object({
  id: z.string(),
  app: z.object({ id: z.string(), alias: z.string(), name: z.string() }),
  status: z.enum(PROPOSAL_STATUSES),
  summary: z.string(),
  fingerprint: z.string().describe('Identifies the finding over many nights'),
  author: z.string().describe('Always the maintenance agent'),
  requested_by: z.string().nullable().describe('The person who started the run by hand'),
  due_by: z
    .string()
    .nullable()
    .describe('The person whose change of the schedule made the run due: the last one before its first night'),
  execution_id: z.string().describe('The run that made it'),
  after_deploy: AfterDeploy.nullable().describe('What became of the fault. Null until the change is live'),
  base_revision_id: z.string().describe('The revision that was live when it was validated'),
  revision_id: z.string().nullable().describe('The revision that it makes of the base; null if it makes none'),
  validation: z
    .enum(['static', 'built', 'tested', 'proven', 'not_run'])
    .nullable()
    .describe(
      'The strongest check that passed: the changed files parse, the app builds, its tests pass, and a test of the change fails without it',
    ),
  validation_notes: z.array(z.string()).describe('What was not checked, and why'),
  proof: Proof.nullable().describe('What the test that the change brings shows. Null if it brings none'),
  invalid_reason: z.string().nullable(),
  evidence: z.array(Evidence).describe('What the run read'),
  decision: ProposalDecision,
  decided_by: z.string().nullable(),
  decided_at: z.iso.datetime().nullable(),
  deploy_id: z.string().nullable().describe('The deploy that the approval queued'),
  created_at: z.iso.datetime(),
  diff: z
    .object({ files: z.array(FileChange), truncated: z.boolean() })
    .nullable()
    .optional()
    .describe('Made by the server of the two revisions. Only where it was asked for; null if there is no new revision'),
})
export type Proposal = z.infer<typeof Proposal>

const path = '/api/deploy/deployments/{alias}/proposals'
const one = { alias: Alias, proposal_id: z.string().max(64) }

export const listProposals = operation({
  ...jsonGet,
  name: 'maintenance.list-proposals',
  path,
  summary: "List the maintenance agent's proposals for an app, newest first",
  access: byBuilder,
  errors: ['NOT_FOUND'],
  input: z.object({ alias: Alias, ...pageInput }),
  output: listOf(Proposal),
})

export const listAllProposals = operation({
  ...jsonGet,
  name: 'maintenance.list-all-proposals',
  path: '/api/deploy/proposals',
  summary: 'List the proposals for all apps of the organization, newest first',
  description:
    'A page can have fewer items than `limit`, also none, and a next page: follow `next_cursor` until it is null.',
  access: { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token' },
  input: z.object({ status: z.enum(PROPOSAL_STATUSES).optional(), ...pageInput }),
  output: listOf(Proposal),
})

export const readProposal = operation({
  ...jsonGet,
  name: 'maintenance.read-proposal',
  path: `${path}/{proposal_id}`,
  summary: 'Show a proposal and what the caller may do with it',
  access: byBuilder,
  concurrency: { ...LONG_READS, name: 'proposals', perPerson: 4 },
  input: z.object({ ...one, diff: z.boolean().default(false).describe('Adds the difference to the live revision') }),
  output: Proposal,
})

const decide = {
  ...jsonPost,
  access: byMaintenanceAdmin,
  input: z.object(one),
  output: Proposal,
} as const

export const approveProposal = operation({
  ...decide,
  name: 'maintenance.approve-proposal',
  path: `${path}/{proposal_id}/approve`,
  summary: 'Approve a proposal and deploy it',
  input: z.object({
    ...one,
    revision_id: z
      .string()
      .min(1)
      .max(100)
      .describe('`revision_id` of the proposal as it was read. Another one is refused with `PROPOSAL_NOT_READY`'),
  }),
  description:
    'Queues the same deploy that a person would, of the revision that is named and of no other. Whoever started the run, or changed the schedule that made it due, may not approve its change while another owner or admin can. The proposal must be made of the live revision, and no other deploy may be under way.',
  errors: ['PROPOSAL_NOT_READY', 'PROPOSAL_OWN', 'APP_NOT_STARTABLE', 'DEPLOYS_OFF'],
})

export const denyProposal = operation({
  ...decide,
  name: 'maintenance.deny-proposal',
  path: `${path}/{proposal_id}/deny`,
  summary: 'Deny a proposal',
  description: 'The live app stays as it is. The same fault is not proposed again while its file is the same.',
  errors: ['PROPOSAL_NOT_READY'],
})

export const retryProposal = operation({
  ...decide,
  name: 'maintenance.retry-proposal',
  path: `${path}/{proposal_id}/retry`,
  summary: 'Validate a proposal again',
  description: 'Makes the same edits of the revision that is live now. The answer comes before the validation is done.',
  errors: ['PROPOSAL_NOT_RETRYABLE'],
})
