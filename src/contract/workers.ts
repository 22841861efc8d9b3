import { z } from 'zod'
import { Alias, byBuilder } from './apps/app-access.ts'
import { boundedMap } from './core/bounded-map.ts'
import { UtcTimeInput } from './core/inputs.ts'
import { jsonPost } from './core/methods.ts'
import { operation } from './core/operation.ts'

/** Seconds between two heartbeats of a worker. */
export const WORKER_HEARTBEAT_SECONDS = 5
/** Seconds without a heartbeat after which a worker counts as lost, with the calls that it runs. */
export const WORKER_LEASE_SECONDS = 20
/** Seconds that a worker has to connect again after its stream broke. */
export const WORKER_RECONNECT_SECONDS = 5
export const MAX_WORKERS_PER_APP = 64
const MAX_WORKER_CONCURRENCY = 100
/** The time limit is below the 60 seconds after which the services give up on each other. */
export const MAX_FUNCTION_SECONDS = 50
const DEFAULT_FUNCTION_SECONDS = 30
const MAX_SERVED = 100
export const MAX_SCHEMA_BYTES = 32 * 1024
const MAX_ERROR_TEXT = 4_000
const MAX_LOG_TEXT = 4_000
const MAX_LOG_LINES = 500
const REGISTRATION_LIMIT = 4 * 1024 * 1024
const RESULTS_LIMIT = 4 * 1024 * 1024
/** Bytes of the answer of one call, as JSON. */
export const MAX_OUTPUT_BYTES = 1024 * 1024
/** Keys of an object of any content. Its bytes are limited too. */
const MAX_OBJECT_KEYS = 10_000
const MAX_KEY_LENGTH = 1_000
const MAX_RUN_SECONDS = 86_400

/** Workers authenticate with their workload identity, or with an API token of a person who builds the app. */
const byWorker = { ...byBuilder, principals: ['api_token', 'workload'] } as const

export const ServedName = z
  .string()
  .max(64, 'must have at most 64 characters')
  .regex(/^[a-z][a-z0-9_-]*$/, 'must begin with a lower-case letter and contain lower-case letters, digits, _ and -')

const Description = z.string().max(1_000).default('')

export const JsonObject = boundedMap(z.string().max(MAX_KEY_LENGTH), z.unknown(), MAX_OBJECT_KEYS)

export const JsonSchema = JsonObject.describe(
  'JSON Schema (2020-12) of an object. Only local $ref; see /guides/functions for the keywords',
)

export const FunctionDefinition = z.strictObject({
  name: ServedName,
  description: Description,
  input_schema: JsonSchema,
  timeout_seconds: z.int().min(1).max(MAX_FUNCTION_SECONDS).default(DEFAULT_FUNCTION_SECONDS),
  repeatable: z.boolean().default(false).describe('Whether a call may be run again after its worker was lost'),
})
export type FunctionDefinition = z.infer<typeof FunctionDefinition>

export const PipelineDefinition = z.strictObject({
  name: ServedName,
  description: Description,
  schedule: z.string().min(1).max(100).nullable().default(null).describe('Cron expression; null: run by hand only'),
  timezone: z.string().min(1).max(64).default('UTC'),
  concurrency: z.enum(['skip', 'queue']).default('skip').describe('What a run does while the one before still runs'),
  timeout_seconds: z.int().min(1).max(MAX_RUN_SECONDS).default(3_600),
})
export type PipelineDefinition = z.infer<typeof PipelineDefinition>

const WorkerId = z.string().regex(/^wrk_[0-9a-z]{26}$/, 'must be the id of a worker')
const CallId = z.string().regex(/^call_[0-9a-z]{26}$/, 'must be the id of a call')
const Fence = z.int().min(0)

const Work = z.object({
  type: z.literal('call'),
  call_id: z.string(),
  fence: Fence.describe('Repeat it in the result'),
  kind: z.enum(['function', 'pipeline']),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  seconds_left: z.number().describe('Seconds until nobody waits for the result any more'),
})

export const connectWorker = operation({
  kind: 'stream',
  name: 'workers.connect',
  method: 'POST',
  path: '/api/deploy/deployments/{alias}/workers',
  summary: 'Connect a worker of an app',
  description:
    'Registers the functions and pipelines that the worker serves, and then sends it calls. Go on as the same worker after a broken connection by sending its `worker_id` and the calls it has.',
  access: { ...byWorker, support: 'refused' },
  effect: 'write',
  bodyLimit: REGISTRATION_LIMIT,
  errors: ['WORKER_LIMIT'],
  rateLimits: [{ name: 'worker-connect', per: 'principal', limit: 300, windowSeconds: 60 }],
  input: z.object({
    alias: Alias,
    worker_id: WorkerId.optional().describe('Go on as this worker'),
    calls: z.array(CallId).max(MAX_WORKER_CONCURRENCY).default([]).describe('Calls it has received and not reported'),
    sdk_version: z.string().max(40),
    concurrency: z.int().min(1).max(MAX_WORKER_CONCURRENCY).default(10).describe('Calls that it runs at once'),
    functions: z.array(FunctionDefinition).max(MAX_SERVED).default([]),
    pipelines: z.array(PipelineDefinition).max(MAX_SERVED).default([]),
  }),
  event: z.union([
    z.object({ type: z.literal('connected'), worker_id: z.string(), heartbeat_seconds: z.int() }),
    Work,
    z.object({ type: z.literal('cancel'), call_id: z.string() }),
  ]),
})
export type WorkerEvent = z.infer<(typeof connectWorker)['event']>

const Result = z.strictObject({
  call_id: CallId,
  fence: Fence,
  output: z.unknown().optional().describe('What the call returned; null if it returned nothing'),
  error: z.string().max(MAX_ERROR_TEXT).optional().describe('Why it failed; shown to the caller'),
})
export type ReportedResult = z.infer<typeof Result>

export const reportResults = operation({
  ...jsonPost,
  name: 'workers.report-results',
  path: '/api/deploy/deployments/{alias}/workers/{worker_id}/results',
  summary: 'Report results of calls',
  description: 'Can be repeated: a result counts once. Calls that have ended otherwise meanwhile are in `refused`.',
  access: { ...byWorker, support: 'refused' },
  bodyLimit: RESULTS_LIMIT,
  input: z.object({ alias: Alias, worker_id: WorkerId, results: z.array(Result).min(1).max(MAX_WORKER_CONCURRENCY) }),
  output: z.object({ accepted: z.array(z.string()), refused: z.array(z.string()) }),
})

export const workerHeartbeat = operation({
  ...jsonPost,
  name: 'workers.heartbeat',
  path: '/api/deploy/deployments/{alias}/workers/{worker_id}/heartbeat',
  summary: 'Keep a worker alive',
  access: { ...byWorker, support: 'refused' },
  input: z.object({
    alias: Alias,
    worker_id: WorkerId,
    calls: z.array(CallId).max(1_000).default([]).describe('Calls it has received and not reported'),
    stopping: z.boolean().default(false).describe('Whether it takes no more calls and only ends those it has'),
  }),
  output: z.object({ cancel: z.array(z.string()).describe('Those of `calls` whose result nobody waits for any more') }),
})

export const reportLogs = operation({
  ...jsonPost,
  name: 'workers.report-logs',
  path: '/api/deploy/deployments/{alias}/workers/{worker_id}/logs',
  summary: 'Report log lines of a call',
  access: { ...byWorker, support: 'refused' },
  bodyLimit: RESULTS_LIMIT,
  input: z.object({
    alias: Alias,
    worker_id: WorkerId,
    call_id: CallId,
    fence: Fence,
    lines: z
      .array(
        z.strictObject({
          at: UtcTimeInput,
          level: z.enum(['debug', 'info', 'warn', 'error']),
          text: z.string().max(MAX_LOG_TEXT),
        }),
      )
      .min(1)
      .max(MAX_LOG_LINES),
  }),
  output: z.object({ accepted: z.boolean() }),
})
