import { z } from 'zod'
import { Alias } from '../apps/app-access.ts'
import { byMember } from '../core/access.ts'
import { jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { AfterDeploy } from './after-deploy.ts'
import { byMaintenanceAdmin, OrgMaintenance } from './settings.ts'

const RUN_STATUSES = ['queued', 'running', 'validating', 'ended'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const Evidence = z.object({
  kind: z.string().describe('What was read: `logs`, `source`, `checks`, `findings`, `history`'),
  reference: z.string().describe('Which part of it'),
  sha256: z.string().describe('Digest of what the agent was given'),
  bytes: z.int(),
})

const untilEnded = 'Null until the run ended'

export const MaintenanceRun = z.object({
  execution_id: z.string(),
  status: z.enum(RUN_STATUSES),
  mode: z.enum(['nightly', 'manual']),
  terminal_code: z.string().nullable().describe(untilEnded),
  outcome: z.string().nullable().describe(`One of a closed set; treat others as not healthy. ${untilEnded}`),
  exit_code: z.int().nullable().describe(untilEnded),
  model: z.string(),
  tokens_spent: z.int(),
  cost: z
    .object({ amount: z.string().describe('Decimal number'), currency: z.literal('USD') })
    .nullable()
    .describe("What the tokens cost. Null where the model's price is not configured"),
  summary: z.string().nullable(),
  fingerprint: z.string().nullable().describe('Identifies the finding over many nights'),
  evidence: z.array(Evidence),
  proposal_id: z.string().nullable(),
  after_deploy: AfterDeploy.nullable().describe('What became of the fault after its proposal was deployed'),
  requested_by: z.string().nullable().describe('The person who started it by hand'),
  created_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
})
export type MaintenanceRun = z.infer<typeof MaintenanceRun>

export const readMaintenance = operation({
  ...jsonGet,
  name: 'maintenance.status',
  path: '/api/deploy/deployments/{alias}/maintenance-agent',
  summary: 'Show the maintenance settings of an app and its latest run',
  access: byMember,
  errors: ['MAINTENANCE_AGENT_NOT_FOUND'],
  input: z.object({ alias: Alias }),
  output: z.object({ settings: OrgMaintenance, last_run: MaintenanceRun.nullable() }),
})

export const listMaintenanceRuns = operation({
  ...jsonGet,
  name: 'maintenance.list-runs',
  path: '/api/deploy/deployments/{alias}/maintenance-agent/runs',
  summary: 'List the maintenance runs of an app, newest first',
  description: 'The history stays readable when maintenance is switched off.',
  access: byMember,
  input: z.object({ alias: Alias, ...pageInput }),
  output: listOf(MaintenanceRun),
})

export const readMaintenanceRun = operation({
  ...jsonGet,
  name: 'maintenance.read-run',
  path: '/api/deploy/deployments/{alias}/maintenance-agent/runs/{execution_id}',
  summary: 'Show a maintenance run',
  access: byMember,
  input: z.object({ alias: Alias, execution_id: z.string().max(64) }),
  output: MaintenanceRun,
})

export const startMaintenanceRun = operation({
  ...jsonPost,
  name: 'maintenance.start-run',
  path: '/api/deploy/deployments/{alias}/maintenance-agent/runs',
  summary: 'Start a maintenance run',
  description:
    'One run holds an app at a time: while one does, another start answers with a run that ended as `skipped`. With the header `Idempotency-Key` a repeated start answers with the first run as it is now, for good.',
  access: byMaintenanceAdmin,
  errors: ['MAINTENANCE_AGENT_NOT_FOUND', 'MAINTENANCE_APP_DISABLED', 'IDEMPOTENCY_KEY_REUSED'],
  status: 202,
  input: z.object({ alias: Alias, mode: z.enum(['nightly', 'manual']).describe('Shown in the history') }),
  output: MaintenanceRun,
})
