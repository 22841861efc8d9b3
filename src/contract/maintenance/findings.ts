import { z } from 'zod'
import { Alias, byBuilder } from '../apps/app-access.ts'
import { jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byMaintenanceAdmin } from './settings.ts'

const MAX_DISMISS_REASON = 500

export const Finding = z.object({
  fingerprint: z.string().describe('Identifies the fault over many nights'),
  kind: z.string(),
  state: z
    .enum(['open', 'closed', 'dismissed'])
    .describe(
      '`closed`: complete looks of a day and a half did not see it, or the revision that logged it is no longer live. It opens again when a look sees it',
    ),
  summary: z.string(),
  explanation: z.string().describe('What this kind of fault is, and why it is reported'),
  former_revision_id: z
    .string()
    .nullable()
    .describe('The revision that wrote the lines, if all are of revisions that are no longer live'),
  look_at: z.array(z.string()).describe('Where to look first'),
  path: z.string().nullable(),
  symbol: z.string().nullable(),
  lines: z
    .array(z.object({ at: z.iso.datetime(), text: z.string(), revision_id: z.string().nullable() }))
    .describe('Lines of the log, or failed runs of a check, that show it. Secrets are replaced by [redacted]'),
  first_seen_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
  seen_by_runs: z.int().describe('How many runs saw it'),
  dismissed: z
    .object({ at: z.iso.datetime(), by: z.string().nullable(), reason: z.string() })
    .nullable()
    .describe('A dismissed finding is not reported again'),
})
export type Finding = z.infer<typeof Finding>

const path = '/api/deploy/deployments/{alias}/maintenance-agent/findings'
const one = {
  alias: Alias,
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{8,64}$/, 'must be a fingerprint, or at least its first 8 characters')
    .describe('The fingerprint, or enough of its beginning to name one finding'),
}

/** Findings cite lines of logs, so whoever may read the logs of the app may read them. */
export const listFindings = operation({
  ...jsonGet,
  name: 'maintenance.list-findings',
  path,
  summary: 'List what the maintenance agent found in an app, last seen first',
  description: 'At most 200, those that were seen last.',
  access: byBuilder,
  input: z.object({ alias: Alias }),
  output: z.object({ items: z.array(Finding) }),
})

export const readFinding = operation({
  ...jsonGet,
  name: 'maintenance.read-finding',
  path: `${path}/{fingerprint}`,
  summary: 'Show a finding, what it means and the lines that show it',
  access: byBuilder,
  input: z.object(one),
  output: Finding,
})

export const dismissFinding = operation({
  ...jsonPost,
  name: 'maintenance.dismiss-finding',
  path: `${path}/{fingerprint}/dismiss`,
  summary: 'Dismiss a finding',
  description:
    'Runs still see it and do not report it, while its fingerprint is the same. A change is not proposed for it.',
  access: byMaintenanceAdmin,
  input: z.object({
    ...one,
    reason: z
      .string()
      .trim()
      .min(1)
      .max(MAX_DISMISS_REASON)
      .describe('Why it is no fault, for those who read it later'),
  }),
  output: Finding,
})

export const reopenFinding = operation({
  ...jsonPost,
  name: 'maintenance.reopen-finding',
  path: `${path}/{fingerprint}/reopen`,
  summary: 'Take the dismissal of a finding back',
  access: byMaintenanceAdmin,
  input: z.object(one),
  output: Finding,
})
