import { z } from 'zod'
import { Alias, byBuilder } from '../apps/app-access.ts'
import { WIDE_READS } from '../core/limits.ts'
import { jsonGet } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { BucketBegin, BucketSeconds, seriesTime } from '../core/series.ts'
import { CheckName } from './checks.ts'
import { RunsState } from './runs-state.ts'

const Milliseconds = z.int().nullable()

export const readCheckSeries = operation({
  ...jsonGet,
  name: 'checks.read-series',
  path: '/api/deploy/deployments/{alias}/checks/{check}/series',
  summary: 'Read how the runs of a check went over time',
  description:
    'How many runs ended with which verdict and how long they took, in at most 60 buckets. Without times it is the last day; at most 14 days. Runs older than SVC_CHECK_RETENTION_DAYS are deleted.',
  access: byBuilder,
  rateLimits: [{ name: 'check-series', per: 'principal', limit: 120, windowSeconds: 60 }],
  concurrency: WIDE_READS,
  input: z.object({ alias: Alias, check: CheckName, ...seriesTime }),
  output: z.object({
    bucket_seconds: BucketSeconds,
    items: z
      .array(
        z.object({
          at: BucketBegin,
          state: RunsState.nullable(),
          runs: z.int().describe('That ended in the bucket, with whatever verdict'),
          passed: z.int(),
          failed: z.int(),
          errors: z.int().describe('Could not run'),
          indeterminate: z.int(),
          p50_ms: Milliseconds.describe('Half of the runs took at most this time; null if no run ended'),
          p95_ms: Milliseconds.describe('95 of 100 runs took at most this time'),
        }),
      )
      .describe('Every bucket of the time, oldest first'),
  }),
})
