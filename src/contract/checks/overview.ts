import { z } from 'zod'
import { Alias, byBuilder } from '../apps/app-access.ts'
import { WIDE_READS } from '../core/limits.ts'
import { jsonGet } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { Check, VERDICTS } from './checks.ts'
import { RunsState } from './runs-state.ts'

/** Cells of the history of a check. */
export const HISTORY_CELLS = 90

const FailingCheck = Check.pick({ id: true, name: true, state: true, state_since: true }).extend({
  app: z.object({ alias: z.string(), name: z.string() }),
})

export const listFailingChecks = operation({
  ...jsonGet,
  name: 'checks.list-failing',
  path: '/api/deploy/failing-checks',
  summary: 'List the checks of all apps that do not pass',
  description:
    'Those that fail, could not run or were inconclusive, at most 100, the latest change first. Paused checks are left out. Developers see all apps of the organization, other members those that they build.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token' },
  output: z.object({ items: z.array(FailingCheck) }),
})

const CheckHistory = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  items: z.array(
    z.object({
      check_id: z.string(),
      cells: z
        .array(
          z
            .object({
              verdict: z.enum(VERDICTS).describe('The worst of the runs: fail, error, indeterminate, pass'),
              runs: z.int(),
              passed: z.int(),
              state: RunsState,
            })
            .nullable()
            .describe('Null if no run ended in this time'),
        )
        .describe('90 parts of the time, all of the same length, oldest first'),
    }),
  ),
})

export const showCheckHistory = operation({
  ...jsonGet,
  name: 'checks.history',
  path: '/api/deploy/deployments/{alias}/check-history',
  summary: 'Show how the checks of an app went over time',
  access: byBuilder,
  rateLimits: [{ name: 'check-history', per: 'principal', limit: 120, windowSeconds: 60 }],
  concurrency: WIDE_READS,
  input: z.object({
    alias: Alias,
    days: z.int().min(1).max(90).default(30).describe('Runs older than SVC_CHECK_RETENTION_DAYS are deleted'),
  }),
  output: CheckHistory,
})
