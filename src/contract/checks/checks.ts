import { z } from 'zod'
import { Alias, byBuilder } from '../apps/app-access.ts'
import { jsonDelete, jsonGet, jsonPatch, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { CheckDefinition, CheckSchedule } from './definition.ts'

export const MAX_CHECKS_PER_APP = 50

/** The result of one run. `error` is a fault of the check itself; `indeterminate` hit a limit before it could decide. */
export const VERDICTS = ['pass', 'fail', 'error', 'indeterminate'] as const
export type Verdict = (typeof VERDICTS)[number]

/** `unknown` until the first run ended; `failing`: fails, but not yet as often in a row as the threshold says. */
const CHECK_STATES = ['unknown', 'pass', 'failing', 'fail', 'error', 'indeterminate'] as const
export type CheckState = (typeof CHECK_STATES)[number]

const Name = z
  .string()
  .trim()
  .max(60)
  .regex(
    /^(?!chk_)[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
    'must begin with a letter or digit and contain letters, digits, spaces, dots, hyphens and underscores, and must not begin with chk_',
  )
const Threshold = z.int().min(1).max(100).describe('Fails in a row after which the check counts as failed')

export const Check = z.object({
  id: z.string(),
  name: z.string(),
  definition: CheckDefinition,
  schedule: CheckSchedule,
  threshold: Threshold,
  enabled: z.boolean().describe('False: paused'),
  state: z.enum(CHECK_STATES),
  state_since: z.iso.datetime().describe('When the state last changed'),
  consecutive_fails: z.int(),
  last_verdict: z.enum(VERDICTS).nullable(),
  last_run_at: z.iso.datetime().nullable(),
  next_run_at: z.iso.datetime().nullable().describe('Null while it is paused'),
  created_by: z.string().describe('Id of the user'),
  created_at: z.iso.datetime(),
})
export type Check = z.infer<typeof Check>

export const CheckRun = z.object({
  id: z.string(),
  trigger: z.enum(['schedule', 'manual']),
  state: z.enum(['queued', 'running', 'ended']),
  scheduled_at: z.iso.datetime().nullable().describe('The time of the schedule; null for a run that a person started'),
  requested_by: z.string().nullable().describe('Id of the user who started it'),
  verdict: z.enum(VERDICTS).nullable().describe('Null until it has ended'),
  code: z.string().nullable().describe('Short reason of the verdict'),
  detail: z.string().nullable().describe('The reason in words'),
  tokens: z
    .int()
    .nullable()
    .describe("Tokens of the organization's pool that the run used; null unless it asked a model"),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
})
export type CheckRun = z.infer<typeof CheckRun>

export const CheckName = z.string().min(1).max(100).describe('Id or name of the check')
const check = { alias: Alias, check: CheckName }
const Definition = CheckDefinition.describe('What is looked at; its fields depend on `kind`: http, log or agent')

export const createCheck = operation({
  ...jsonPost,
  name: 'checks.create',
  path: '/api/deploy/deployments/{alias}/checks',
  summary: 'Create a check of an app',
  description:
    'A check with `every_minutes` runs at once and then at that interval, one with `cron` at its times. Events are emitted when its state changes, not at every run.',
  access: { ...byBuilder, support: 'refused' },
  errors: ['CONFLICT', 'APP_LIMIT'],
  idempotent: true,
  status: 201,
  input: z.object({
    alias: Alias,
    name: Name,
    definition: Definition,
    schedule: CheckSchedule.optional().describe('Every 5 minutes if it is not given, and every 60 for `agent`'),
    threshold: Threshold.default(1),
  }),
  output: Check,
})

export const listChecks = operation({
  ...jsonGet,
  name: 'checks.list',
  path: '/api/deploy/deployments/{alias}/checks',
  summary: 'List the checks of an app',
  access: byBuilder,
  input: z.object({ alias: Alias, ...pageInput }),
  output: listOf(Check),
})

export const readCheck = operation({
  ...jsonGet,
  name: 'checks.read',
  path: '/api/deploy/deployments/{alias}/checks/{check}',
  summary: 'Show a check',
  access: byBuilder,
  input: z.object(check),
  output: Check,
})

export const changeCheck = operation({
  ...jsonPatch,
  name: 'checks.change',
  path: '/api/deploy/deployments/{alias}/checks/{check}',
  summary: 'Change, pause or resume a check',
  description:
    'What is not given stays as it is; `definition` and `schedule` are replaced as a whole. A run that began before the change does not count any more.',
  access: { ...byBuilder, support: 'refused' },
  errors: ['CONFLICT'],
  input: z.object({
    ...check,
    name: Name.optional(),
    definition: Definition.optional(),
    schedule: CheckSchedule.optional(),
    threshold: Threshold.optional(),
    enabled: z.boolean().optional().describe('False pauses the check, true resumes it'),
  }),
  output: Check,
})

export const deleteCheck = operation({
  ...jsonDelete,
  name: 'checks.delete',
  path: '/api/deploy/deployments/{alias}/checks/{check}',
  summary: 'Delete a check with its history',
  access: { ...byBuilder, support: 'elevated' },
  input: z.object(check),
  output: z.object({ id: z.string(), deleted: z.literal(true) }),
})

export const runCheck = operation({
  ...jsonPost,
  name: 'checks.run',
  path: '/api/deploy/deployments/{alias}/checks/{check}/runs',
  summary: 'Run a check now',
  description:
    'Answers the run that was queued, or the one that waits already. Its result counts like that of a scheduled run. A paused check can be run; its state then stays as it is.',
  access: { ...byBuilder, support: 'refused' },
  idempotent: true,
  status: 202,
  rateLimits: [{ name: 'check-runs', per: 'org', limit: 60, windowSeconds: 60 }],
  input: z.object(check),
  output: CheckRun,
})

export const listCheckRuns = operation({
  ...jsonGet,
  name: 'checks.list-runs',
  path: '/api/deploy/deployments/{alias}/checks/{check}/runs',
  summary: 'List the runs of a check',
  access: byBuilder,
  input: z.object({ ...check, ...pageInput }),
  output: listOf(CheckRun),
})

export const readCheckRun = operation({
  ...jsonGet,
  name: 'checks.read-run',
  path: '/api/deploy/deployments/{alias}/checks/{check}/runs/{run_id}',
  summary: 'Show a run of a check',
  access: byBuilder,
  input: z.object({ ...check, run_id: z.string().max(100) }),
  output: CheckRun,
})
