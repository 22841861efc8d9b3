import { z } from 'zod'
import { WIDE_READS } from '../core/limits.ts'
import { jsonGet } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { BucketBegin, BucketSeconds, seriesTime } from '../core/series.ts'
import { Alias, byBuilder } from './app-access.ts'

const count = z.int().nullable()

export const readSeries = operation({
  ...jsonGet,
  name: 'apps.read-series',
  path: '/api/deploy/deployments/{alias}/series',
  summary: 'Read how an app did over time',
  description:
    'Requests of visitors, those that failed, how long answers took and the most memory in use, in at most 300 buckets. A value is null where nothing was counted or measured. Without times it is the last day; 14 days are stored. WebSockets and requests of svc itself, such as those of checks, are not counted.',
  access: byBuilder,
  concurrency: WIDE_READS,
  input: z.object({ alias: Alias, ...seriesTime }),
  output: z.object({
    bucket_seconds: BucketSeconds,
    items: z
      .array(
        z.object({
          at: BucketBegin,
          requests: count,
          failed: count.describe('Answered with a status of 500 or more, or not answered because of the app'),
          p50_ms: count.describe('Half of the answers began within this time; estimated from a histogram'),
          p95_ms: count.describe('95 of 100 answers began within this time; at most 65,536'),
          memory_bytes: count.describe('The most in use at once, as svc saw it; null where svc does not measure it'),
        }),
      )
      .describe('Every bucket of the time, oldest first'),
    deploys: z
      .array(z.object({ id: z.string(), message: z.string().nullable(), live_at: z.iso.datetime() }))
      .describe('The newest 100 deploys that went live in the time, oldest first'),
  }),
})

export const countRequests = operation({
  ...jsonGet,
  name: 'apps.count-requests',
  path: '/api/deploy/request-counts',
  summary: 'Count the requests of each app in the last day',
  description:
    'Developers see all apps of the organization, other members those in which they have a part. Apps of which nothing was counted are left out. WebSockets and requests of svc itself are not counted.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token' },
  concurrency: WIDE_READS,
  input: z.object({}),
  output: z.object({
    items: z.array(
      z.object({
        app_id: z.string(),
        hours: z
          .array(z.object({ at: BucketBegin, requests: count, failed: count }))
          .describe('24 hours, the last of which is not over; null where nothing was counted'),
      }),
    ),
  }),
})
