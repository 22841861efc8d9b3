import { z } from 'zod'
import { Alias, byBuilder } from './apps/app-access.ts'
import { WIDE_READS } from './core/limits.ts'
import { jsonDelete, jsonGet, jsonPatch, jsonPost } from './core/methods.ts'
import { operation } from './core/operation.ts'
import { listOf, pageInput } from './core/paging.ts'
import { BucketBegin, BucketSeconds, seriesTime } from './core/series.ts'
import { ServedName } from './workers.ts'

const PipelineName = ServedName.describe('Name of the pipeline in its app')

/** `skip`: a run that is due while another is under way does not happen. `queue`: it waits for its turn. */
const CONCURRENCY_POLICIES = ['skip', 'queue'] as const

/**
 * `queued` and `running` go on by themselves. `skipped`, `missed` and `host_offline` did not happen: by the concurrency
 * policy or because the pipeline was disabled, for a reason of the platform or the worker, and because no worker was
 * connected.
 */
const RUN_STATES = ['queued', 'running', 'succeeded', 'failed', 'skipped', 'missed', 'host_offline'] as const
export type PipelineRunState = (typeof RUN_STATES)[number]

export const PipelineRun = z.object({
  id: z.string(),
  state: z.enum(RUN_STATES),
  trigger: z.enum(['schedule', 'manual']),
  scheduled_at: z.iso.datetime().nullable().describe('The time of the schedule; null for a run by hand'),
  requested_by: z.string().nullable().describe('Id of the user who started it by hand'),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  reason_code: z.string().nullable().describe('Why it failed or did not happen, as a short code'),
  reason: z.string().nullable().describe('The same in words'),
})
export type PipelineRun = z.infer<typeof PipelineRun>

/** The state of a pipeline after its last scheduled or completed run. Events are sent when it changes. */
const PIPELINE_STATES = ['ok', 'failed', 'host_offline', 'missed'] as const
export type PipelineState = (typeof PIPELINE_STATES)[number]

export const Pipeline = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  schedule: z.string().nullable().describe('Cron expression of five fields; null: it runs by hand only'),
  timezone: z.string(),
  concurrency: z.enum(CONCURRENCY_POLICIES),
  timeout_seconds: z.int(),
  enabled: z.boolean(),
  state: z.enum(PIPELINE_STATES).nullable().describe('Null until a run has ended, and without a schedule'),
  state_since: z.iso.datetime().nullable(),
  next_run_at: z.iso.datetime().nullable(),
  is_served: z.boolean().describe('Whether a worker that serves it is connected'),
  last_run: PipelineRun.nullable(),
})
export type Pipeline = z.infer<typeof Pipeline>

const pipeline = { alias: Alias, name: PipelineName }

export const listPipelines = operation({
  ...jsonGet,
  name: 'pipelines.list',
  path: '/api/deploy/deployments/{alias}/pipelines',
  summary: 'List the pipelines of an app',
  description: 'Workers declare pipelines when they connect. A pipeline stays in the list when its worker goes away.',
  access: byBuilder,
  input: z.object({ alias: Alias, ...pageInput }),
  output: listOf(Pipeline),
})

export const readPipeline = operation({
  ...jsonGet,
  name: 'pipelines.read',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}',
  summary: 'Show a pipeline',
  access: byBuilder,
  input: z.object(pipeline),
  output: Pipeline,
})

export const changePipeline = operation({
  ...jsonPatch,
  name: 'pipelines.change',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}',
  summary: 'Enable or disable a pipeline',
  description:
    'A disabled pipeline does not run and never alerts. Runs that wait in its queue are skipped; a run that is under way ends, without an alert. It stays disabled when its worker connects again.',
  access: { ...byBuilder, support: 'refused' },
  input: z.object({ ...pipeline, enabled: z.boolean() }),
  output: Pipeline,
})

export const deletePipeline = operation({
  ...jsonDelete,
  name: 'pipelines.delete',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}',
  summary: 'Delete a pipeline that no worker declares any more',
  description: 'Its history is deleted too. Refused while a connected worker declares it or a run is under way.',
  access: { ...byBuilder, support: 'elevated' },
  errors: ['CONFLICT'],
  input: z.object(pipeline),
  output: z.object({ name: z.string(), deleted: z.literal(true) }),
})

export const runPipeline = operation({
  ...jsonPost,
  name: 'pipelines.run',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}/runs',
  summary: 'Run a pipeline now',
  description: 'While another run is under way the concurrency policy decides: `skip` refuses, `queue` lets it wait.',
  access: { ...byBuilder, support: 'refused' },
  errors: ['PIPELINE_DISABLED', 'PIPELINE_BUSY', 'NO_WORKER'],
  rateLimits: [{ name: 'pipeline-run', per: 'principal', limit: 60, windowSeconds: 60 }],
  idempotent: true,
  status: 202,
  input: z.object(pipeline),
  output: PipelineRun,
})

export const listPipelineRuns = operation({
  ...jsonGet,
  name: 'pipelines.list-runs',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}/runs',
  summary: 'List the runs of a pipeline',
  access: byBuilder,
  input: z.object({ ...pipeline, ...pageInput }),
  output: listOf(PipelineRun),
})

export const readPipelineSeries = operation({
  ...jsonGet,
  name: 'pipelines.read-series',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}/series',
  summary: 'Read how the runs of a pipeline went over time',
  description:
    'What became of the runs and how long they took, in at most 60 buckets. Without times it is the last day; at most 14 days. Old runs are deleted, also when newer ones are many.',
  access: byBuilder,
  rateLimits: [{ name: 'pipeline-series', per: 'principal', limit: 120, windowSeconds: 60 }],
  concurrency: WIDE_READS,
  input: z.object({ ...pipeline, ...seriesTime }),
  output: z.object({
    bucket_seconds: BucketSeconds,
    items: z
      .array(
        z.object({
          at: BucketBegin,
          runs: z.int().describe('That were due or started by hand in the bucket, whatever became of them'),
          succeeded: z.int(),
          failed: z.int(),
          not_run: z.int().describe('Skipped, missed, or without a connected worker'),
          under_way: z.int().describe('Queued or running now'),
          p50_ms: z.int().nullable().describe('Half of the runs that ended took at most this time; null without one'),
          p95_ms: z.int().nullable().describe('95 of 100 runs took at most this time'),
        }),
      )
      .describe('Every bucket of the time, oldest first'),
  }),
})

const run = { ...pipeline, run_id: z.string().max(100) }

export const readPipelineRun = operation({
  ...jsonGet,
  name: 'pipelines.read-run',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}/runs/{run_id}',
  summary: 'Show a run of a pipeline',
  access: byBuilder,
  input: z.object(run),
  output: PipelineRun,
})

export const readPipelineRunLog = operation({
  ...jsonGet,
  name: 'pipelines.read-run-log',
  path: '/api/deploy/deployments/{alias}/pipelines/{name}/runs/{run_id}/logs',
  summary: 'Show what a run of a pipeline logged',
  description: 'Lines in the order in which they were written. The last line of a log that grew too large says so.',
  access: byBuilder,
  input: z.object({
    ...run,
    after: z.int().min(0).default(0).describe('`last` of the previous page'),
    limit: z.int().min(1).max(1_000).default(1_000),
  }),
  output: z.object({
    lines: z.array(
      z.object({ at: z.iso.datetime(), level: z.enum(['debug', 'info', 'warn', 'error']), text: z.string() }),
    ),
    last: z.int().nullable().describe('Number of the last of these lines; null if there are none'),
    has_more: z.boolean(),
  }),
})
