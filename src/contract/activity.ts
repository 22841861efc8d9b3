import { z } from 'zod'
import { byMember } from './core/access.ts'
import { UtcTimeInput } from './core/inputs.ts'
import { WIDE_READS } from './core/limits.ts'
import { jsonGet, jsonPut } from './core/methods.ts'
import { operation } from './core/operation.ts'
import { listOf, pageInput } from './core/paging.ts'
import { PrincipalKind } from './core/principal.ts'

/** Fields that are unknown if the process crashed between the question and the answer. */
const unknown = 'Null if unknown'

const CALL_SOURCES = ['mcp', 'cli', 'api'] as const

/** `refused` are answers 400 to 499, `failed` from 500; `unknown` if the process crashed before the answer. */
const CALL_OUTCOMES = ['answered', 'refused', 'failed', 'unknown'] as const
export type CallOutcome = (typeof CALL_OUTCOMES)[number]

export const ActivityRecord = z.object({
  id: z.string(),
  target: z
    .string()
    .describe(
      'The data source (`db_<database name>`) or function that was called. `unknown` if the caller may not know it',
    ),
  source: z.enum(CALL_SOURCES).describe('Where the call came from'),
  principal: z.object({ kind: PrincipalKind, id: z.string() }),
  user_id: z.string().nullable().describe('The person that the caller acts for; null for workloads and runs'),
  user_name: z.string().nullable().describe('Name of the person; null if they are not a member now'),
  asked_at: z.iso.datetime(),
  duration_ms: z.int().nullable().describe(unknown),
  answer_bytes: z.int().nullable().describe(unknown),
  status: z.int().nullable().describe(`The HTTP status. ${unknown}`),
})
export type ActivityRecord = z.infer<typeof ActivityRecord>

const targetFilter = z.string().max(200).optional().describe('Only calls of this data source or function')

const filters = {
  type: z.enum(['functions', 'data_sources']).default('functions'),
  source: z.enum(CALL_SOURCES).optional().describe('Only calls that came this way'),
  user_id: z.string().max(100).optional().describe('Only calls of this person'),
  outcome: z.enum(CALL_OUTCOMES).optional(),
  from: UtcTimeInput.optional().describe('Only calls at or after this time'),
  to: UtcTimeInput.optional().describe('Only calls before this time'),
}

export const listActivity = operation({
  ...jsonGet,
  name: 'activity.list',
  path: '/api/activity',
  summary: 'List function calls or data source questions',
  description: 'Admins and owners see all records, others only their own. Questions and answers are never stored.',
  access: byMember,
  input: z.object({ ...filters, source_id: targetFilter, ...pageInput }),
  output: listOf(ActivityRecord),
})

const Count = z.int().min(0)
const Milliseconds = z.number().min(0).nullable().describe('Of answered calls; null if there were none')

export const ActivityStatistics = z.object({
  buckets: z
    .array(
      z.object({
        start: z.iso.datetime(),
        total: Count,
        by_source: z.object({ mcp: Count, cli: Count, api: Count }),
        by_outcome: z.object({ answered: Count, refused: Count, failed: Count, unknown: Count }),
        p50_ms: Milliseconds,
        p95_ms: Milliseconds,
      }),
    )
    .describe('Oldest first, without gaps'),
  targets: z
    .array(
      z.object({
        target: z.string().nullable().describe('Null for all others together'),
        total: Count,
        counts: z.array(Count).describe('One for each bucket'),
      }),
    )
    .describe('The seven that were called most, and the others together'),
  people: z
    .array(
      z.object({
        user_id: z.string().nullable(),
        user_name: z.string().nullable(),
        total: Count,
        failed: Count,
        most_called: z.string().describe('The data source or function that they called most'),
      }),
    )
    .describe('The ten who called most; a null id stands for workloads and runs'),
})
export type ActivityStatistics = z.infer<typeof ActivityStatistics>

export const activityStatistics = operation({
  ...jsonGet,
  name: 'activity.statistics',
  path: '/api/activity/statistics',
  summary: 'Count calls over time',
  description:
    'Counts the records that the list shows to the caller, by hour or day. At most 92 days, or 8 days by hour; the last 7 days if no time is given.',
  access: byMember,
  rateLimits: [{ name: 'activity-statistics', per: 'principal', limit: 120, windowSeconds: 60 }],
  concurrency: WIDE_READS,
  input: z.object({
    ...filters,
    target: targetFilter,
    bucket: z.enum(['hour', 'day']).default('day'),
    timezone: z.string().max(64).default('UTC').describe('IANA name, such as Europe/Berlin. Days begin in it'),
  }),
  output: ActivityStatistics,
})

const Limit = z.int().min(0).max(1_000_000_000)

export const setQuota = operation({
  ...jsonPut,
  name: 'activity.set-quota',
  path: '/api/wf/admin/quotas/{org_id}',
  summary: 'Set the question limits of an organization',
  description: 'Null restores the default of the installation. Takes effect within five seconds.',
  access: 'operator',
  input: z.object({
    org_id: z.string().regex(/^org_[0-9a-z]{26}$/, 'must be the id of an organization'),
    per_minute: Limit.nullable(),
    per_day: Limit.nullable(),
  }),
  output: z.object({ org_id: z.string(), per_minute: Limit, per_day: Limit }),
})
