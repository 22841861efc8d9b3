import { z } from 'zod'
import { BODY_LIMIT } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

/** The tools of a maintenance run read its app. Only the run itself can call them, and only while it holds the app. */
const tool = {
  kind: 'json',
  method: 'POST',
  access: { principals: ['run'], role: null, scope: null, org: 'token' },
  effect: 'read',
  bodyLimit: BODY_LIMIT,
} as const
const description = 'For runs of the maintenance agent. Each answer is recorded as evidence of the run.'

const evidence = { evidence_id: z.int().describe('Findings name the evidence that they rest on') }

const Frame = z.object({ path: z.string(), symbol: z.string().nullable() })

export const readLogTemplates = operation({
  ...tool,
  name: 'maintenance.tool-log-templates',
  path: '/api/deploy/maintenance-agent/tools/log-templates',
  summary: "Group the app's newest log lines by their template",
  description,
  input: z.object({
    hours: z
      .int()
      .min(1)
      .max(24 * 7)
      .default(24),
  }),
  output: z.object({
    ...evidence,
    clusters: z.array(
      z.object({
        template: z.string(),
        level: z.string(),
        count: z.int(),
        first_at: z.iso.datetime(),
        last_at: z.iso.datetime(),
        frames: z.array(Frame),
      }),
    ),
    is_complete: z.boolean().describe('False if there were more lines than could be read'),
  }),
})

export const listLiveFiles = operation({
  ...tool,
  name: 'maintenance.tool-list-files',
  path: '/api/deploy/maintenance-agent/tools/files',
  summary: 'List the files of the live revision',
  description,
  input: z.object({}),
  output: z.object({
    ...evidence,
    revision_id: z.string().nullable(),
    files: z.array(z.object({ path: z.string(), size: z.int() })),
  }),
})

export const listCheckStates = operation({
  ...tool,
  name: 'maintenance.tool-check-states',
  path: '/api/deploy/maintenance-agent/tools/checks',
  summary: "List the states of the app's checks",
  description,
  input: z.object({}),
  output: z.object({
    ...evidence,
    checks: z.array(z.object({ name: z.string(), state: z.string(), since: z.iso.datetime() })),
  }),
})
