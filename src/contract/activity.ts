import { z } from 'zod'
import { BODY_LIMIT, NO_BODY } from './core/limits.ts'
import { operation } from './core/operation.ts'
import { listOf, pageInput } from './core/paging.ts'
import { PrincipalKind } from './core/principal.ts'

/** Fields that are unknown if the process crashed between the question and the answer. */
const unknown = 'Null if unknown'

export const ActivityRecord = z.object({
  id: z.string(),
  target: z.string().describe('The data source (`db_<database name>`) or function that was called'),
  source: z.enum(['mcp', 'cli', 'api']).describe('Where the call came from'),
  principal: z.object({ kind: PrincipalKind, id: z.string() }),
  user_id: z.string().nullable().describe('The person that the caller acts for; null for workloads and runs'),
  asked_at: z.iso.datetime(),
  duration_ms: z.int().nullable().describe(unknown),
  answer_bytes: z.int().nullable().describe(unknown),
  status: z.int().nullable().describe(`The HTTP status. ${unknown}`),
})
export type ActivityRecord = z.infer<typeof ActivityRecord>

export const listActivity = operation({
  kind: 'json',
  name: 'activity.list',
  method: 'GET',
  path: '/api/activity',
  summary: 'List function calls or data source questions',
  description: 'Admins and owners see all records, others only their own. Questions and answers are never stored.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token' },
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({
    type: z.enum(['functions', 'data_sources']).default('functions'),
    source_id: z.string().max(200).optional().describe('Only questions to this data source'),
    ...pageInput,
  }),
  output: listOf(ActivityRecord),
})

const Limit = z.int().min(0).max(1_000_000_000)

export const setQuota = operation({
  kind: 'json',
  name: 'activity.set-quota',
  method: 'PUT',
  path: '/api/wf/admin/quotas/{org_id}',
  summary: 'Set the question limits of an organization',
  description: 'Null restores the default of the installation. Takes effect within five seconds.',
  access: 'operator',
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  input: z.object({
    org_id: z.string().regex(/^org_[0-9a-z]{26}$/, 'must be the id of an organization'),
    per_minute: Limit.nullable(),
    per_day: Limit.nullable(),
  }),
  output: z.object({ org_id: z.string(), per_minute: Limit, per_day: Limit }),
})
