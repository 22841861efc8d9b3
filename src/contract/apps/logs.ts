import { z } from 'zod'
import { TimeInput } from '../core/inputs.ts'
import { WIDE_READS } from '../core/limits.ts'
import { followGet, jsonGet, rawPost, uploadPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { LastId } from '../core/stream.ts'
import { Alias, byBuilder } from './app-access.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export const LogLevel = z.enum(LOG_LEVELS)
/** Longer lines are cut, and the line says how much was cut. */
export const MAX_LOG_LINE_BYTES = 16 * 1024
const INGEST_LIMIT = 8 * 1024 * 1024

export const LogRecord = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  level: LogLevel,
  source: z.enum(['app', 'build', 'system', 'ingest']).describe('`system`: lines that svc itself wrote about the app'),
  deploy_id: z.string().nullable(),
  text: z.string(),
})
export type LogRecord = z.infer<typeof LogRecord>

/** Longest text that lines of a log are searched for. */
export const MAX_LOG_SEARCH_CHARS = 200

const filter = {
  text: z.string().min(1).max(MAX_LOG_SEARCH_CHARS).optional().describe('Words that the line must contain'),
  level: LogLevel.optional().describe('This level and above'),
  deploy_id: z.string().max(100).optional(),
}

export const searchLogs = operation({
  ...jsonGet,
  name: 'apps.search-logs',
  path: '/api/deploy/deployments/{alias}/logs',
  summary: 'Search the logs of an app',
  access: byBuilder,
  concurrency: WIDE_READS,
  input: z.object({
    alias: Alias,
    ...filter,
    since: TimeInput.optional(),
    until: TimeInput.optional(),
    ...pageInput,
  }),
  output: listOf(LogRecord).extend({
    dropped: z.int().describe('Lines of this app that were dropped under pressure in the time searched'),
  }),
})

/** More lines than that are not counted, so that a large log costs no more. */
export const MAX_COUNTED_LINES = 100_000

export const countLogs = operation({
  ...jsonGet,
  name: 'apps.count-logs',
  path: '/api/deploy/deployments/{alias}/logs/counts',
  summary: 'Count the lines of a log over time, by level',
  description: 'Without `since` it begins with the oldest line, and without `until` it ends now.',
  access: byBuilder,
  concurrency: WIDE_READS,
  input: z.object({ alias: Alias, ...filter, since: TimeInput.optional(), until: TimeInput.optional() }),
  output: z.object({
    bucket_seconds: z.int(),
    counted_since: z.iso
      .datetime()
      .nullable()
      .describe('Set if there are more than 100,000 lines: those before this time are not counted'),
    items: z.array(z.object({ at: z.iso.datetime(), debug: z.int(), info: z.int(), warn: z.int(), error: z.int() })),
  }),
})

export const tailLogs = operation({
  ...followGet,
  name: 'apps.tail-logs',
  path: '/api/deploy/deployments/{alias}/logs/tail',
  summary: 'Follow the logs of an app',
  description: 'Begins with the last lines, 20 unless `lines` says otherwise.',
  access: byBuilder,
  input: z.object({ alias: Alias, ...filter, lines: z.int().min(0).max(1000).default(20), last_id: LastId }),
  event: z.union([
    LogRecord.extend({ type: z.literal('line') }),
    z.object({ type: z.literal('dropped'), id: z.string(), at: z.iso.datetime(), count: z.int() }),
  ]),
})

/** An app's own workload identity may write its logs; the handler checks that it is this app's. */
const byWriter = { ...byBuilder, principals: ['user', 'api_token', 'workload'] } as const

const Ingested = z.object({
  accepted: z.int(),
  rejected: z.int().describe('Lines that were not valid; the others are stored'),
  errors: z.array(z.object({ line: z.int(), message: z.string() })).describe('The first 20 of them'),
})

export const ingestLogs = operation({
  ...uploadPost,
  name: 'apps.ingest-logs',
  path: '/api/deploy/deployments/{alias}/logs',
  summary: 'Send log lines of an app that runs elsewhere',
  description: 'One JSON object a line: `text`, optional `at`, `level` and `deploy_id`.',
  access: { ...byWriter, support: 'refused' },
  bodyLimit: INGEST_LIMIT,
  errors: ['UNAVAILABLE'],
  rateLimits: [{ name: 'log-ingest', per: 'org', limit: 6000, windowSeconds: 60 }],
  consumes: ['application/x-ndjson', 'application/jsonl'],
  input: z.object({ alias: Alias }),
  output: Ingested,
})

export const ingestOtlp = operation({
  ...rawPost,
  name: 'apps.ingest-otlp',
  path: '/api/deploy/deployments/{alias}/otlp/v1/logs',
  summary: 'Send logs of an app by OTLP/HTTP',
  description: 'JSON or protobuf, plain or gzip. Set `OTEL_EXPORTER_OTLP_ENDPOINT` to the address up to `/otlp`.',
  access: { ...byWriter, support: 'refused' },
  bodyLimit: INGEST_LIMIT,
  errors: ['UNAVAILABLE'],
  rateLimits: [{ name: 'log-ingest', per: 'org', limit: 6000, windowSeconds: 60 }],
  consumes: ['application/json', 'application/x-protobuf'],
  input: z.object({ alias: Alias }),
  produces: ['application/json', 'application/x-protobuf'],
})
