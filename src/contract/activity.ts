import { z } from 'zod'
import { BODY_LIMIT, NO_BODY } from './core/limits.ts'
import { operation } from './core/operation.ts'
import { listOf, pageInput } from './core/paging.ts'
import { PrincipalKind } from './core/principal.ts'

/** What is never known after a crash between question and answer is null. */
const unknown = 'Null: unknown'

export const ActivityRecord = z.object({
  id: z.string(),
  target: z.string().describe('What was asked: a data source, shaped `db_<database name>`, or a function'),
  source: z.enum(['mcp', 'cli', 'api']).describe('How it came'),
  principal: z.object({ kind: PrincipalKind, id: z.string() }),
  user_id: z.string().nullable().describe('The person behind it; null for workloads and runs'),
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
  summary: 'Who called functions, or asked data sources, and when',
  description: 'From admin upwards all of it, others what they did themselves. Questions and answers are never stored.',
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
  summary: 'Set how many questions an organization may ask',
  description: 'Null is the default of the installation. It takes effect everywhere within five seconds.',
  access: 'operator',
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  input: z.object({
    org_id: z.string().regex(/^org_[0-9a-z]{26}$/, 'the id of an organization'),
    per_minute: Limit.nullable(),
    per_day: Limit.nullable(),
  }),
  output: z.object({ org_id: z.string(), per_minute: Limit, per_day: Limit }),
})
