import { z } from 'zod'
import { DEPLOY_FAILURES } from '../core/deploy-failures.ts'
import { followGet, jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { LastId } from '../core/stream.ts'
import { Alias, byBuilder } from './app-access.ts'

/**
 * `queued`, `building` and `starting` go on by themselves. `live` is the deploy that answers requests; once another has
 * taken its place it is `retired`. `superseded` was replaced in the queue before it began.
 */
const DEPLOY_STATES = ['queued', 'building', 'starting', 'live', 'retired', 'failed', 'superseded'] as const
export type DeployState = (typeof DEPLOY_STATES)[number]

export type DeployFailure = (typeof DEPLOY_FAILURES)[number]

export const Deploy = z.object({
  id: z.string(),
  revision_id: z.string(),
  revision_message: z.string().nullable().describe('What the revision changed, in the words of its author'),
  kind: z.enum(['deploy', 'rollback', 'proposal']),
  state: z.enum(DEPLOY_STATES),
  failure_code: z.enum(DEPLOY_FAILURES).nullable(),
  failure_detail: z.string().nullable().describe('What happened, in words; the log of the deploy says more'),
  requested_by: z.string().nullable().describe('Id of the user'),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  live_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable().describe('When it failed, was superseded or stopped serving'),
})
export type Deploy = z.infer<typeof Deploy>

export const startDeploy = operation({
  ...jsonPost,
  name: 'apps.deploy',
  path: '/api/deploy/deployments/{alias}/deploys',
  summary: 'Deploy a revision',
  description:
    'Deploys of one app run one after another. One that waits in the queue is superseded by a newer one. A deploy that fails leaves the former revision serving.',
  access: { ...byBuilder, support: 'refused' },
  errors: ['APP_NOT_STARTABLE', 'DEPLOYS_OFF'],
  idempotent: true,
  status: 202,
  input: z.object({ alias: Alias, revision_id: z.string().max(100) }),
  output: Deploy,
})

export const rollBack = operation({
  ...jsonPost,
  name: 'apps.roll-back',
  path: '/api/deploy/deployments/{alias}/rollback',
  summary: 'Deploy an earlier revision again',
  description: 'Without `revision_id` the revision that was live before this one.',
  access: { ...byBuilder, support: 'refused' },
  errors: ['APP_NOT_STARTABLE', 'NOTHING_TO_ROLL_BACK', 'DEPLOYS_OFF'],
  idempotent: true,
  status: 202,
  input: z.object({ alias: Alias, revision_id: z.string().max(100).optional() }),
  output: Deploy,
})

export const listDeploys = operation({
  ...jsonGet,
  name: 'apps.list-deploys',
  path: '/api/deploy/deployments/{alias}/deploys',
  summary: 'List the deploys of an app',
  access: byBuilder,
  input: z.object({ alias: Alias, ...pageInput }),
  output: listOf(Deploy),
})

const deploy = { alias: Alias, deploy_id: z.string().max(100) }

export const readDeploy = operation({
  ...jsonGet,
  name: 'apps.read-deploy',
  path: '/api/deploy/deployments/{alias}/deploys/{deploy_id}',
  summary: 'Show a deploy',
  access: byBuilder,
  input: z.object(deploy),
  output: Deploy,
})

/** A change of state or a line of the build or the start. The stream ends when the deploy has ended or is live. */
const DeployProgress = z.union([
  z.object({ id: z.string(), type: z.literal('state'), state: z.enum(DEPLOY_STATES), deploy: Deploy }),
  z.object({ id: z.string(), type: z.literal('log'), at: z.iso.datetime(), text: z.string() }),
])

export const followDeploy = operation({
  ...followGet,
  name: 'apps.follow-deploy',
  path: '/api/deploy/deployments/{alias}/deploys/{deploy_id}/progress',
  summary: 'Follow a deploy until it is live or has failed',
  access: byBuilder,
  input: z.object({ ...deploy, last_id: LastId }),
  event: DeployProgress,
})
