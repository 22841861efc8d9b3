import { z } from 'zod'
import { jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { SIGNAL_KINDS } from './finding-kinds.ts'

const description = 'For runs of the maintenance agent. Each answer is recorded as evidence of the run.'

/** The tools of a maintenance run read its app. Only the run itself can call them, and only while it holds the app. */
const tool = {
  ...jsonPost,
  effect: 'read',
  access: { principals: ['run'], role: null, scope: null, org: 'token' },
  description,
} as const

const evidence = { evidence_id: z.int().describe('Findings name the evidence that they rest on') }

const Hours = z
  .int()
  .min(1)
  .max(24 * 7)
  .default(24)
const FormerRevision = z
  .string()
  .optional()
  .describe('The revision that wrote it, if that is not live: such lines are no fault of the app as it runs now')
const Frame = z.object({ path: z.string(), symbol: z.string().nullable() })

export const readLogTemplates = operation({
  ...tool,
  name: 'maintenance.tool-log-templates',
  path: '/api/deploy/maintenance-agent/tools/log-templates',
  summary: "Group the app's newest log lines by their template",
  input: z.object({ hours: Hours }),
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
        former_revision_id: FormerRevision,
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
  output: z.object({
    ...evidence,
    checks: z.array(z.object({ name: z.string(), state: z.string(), since: z.iso.datetime() })),
  }),
})

const Line = z.int().min(1).max(1_000_000)
const Literal = z.string().min(2).max(200).describe('Found letter by letter, in any case')
const isComplete = z.boolean().describe('False if there is more than the answer holds')

export const readSourceFile = operation({
  ...tool,
  name: 'maintenance.tool-read-file',
  path: '/api/deploy/maintenance-agent/tools/read-file',
  summary: 'Read lines of a file of the revision that the run looks at',
  description: `${description} Secrets are replaced by [redacted]. Binary files and those over 1 MiB are not shown.`,
  input: z.object({
    path: z.string().min(1).max(1024).describe('Exactly as the list of files has it'),
    from_line: Line.default(1),
    to_line: Line.optional().describe('The last line to read. Left out: as many as the answer holds'),
  }),
  output: z.object({
    ...evidence,
    path: z.string(),
    from_line: z.int(),
    to_line: z.int(),
    total_lines: z.int(),
    text: z.string(),
    is_complete: isComplete,
  }),
})

export const searchSource = operation({
  ...tool,
  name: 'maintenance.tool-search-source',
  path: '/api/deploy/maintenance-agent/tools/search-source',
  summary: 'Find a text in the files of the revision that the run looks at',
  input: z.object({ literal: Literal }),
  output: z.object({
    ...evidence,
    matches: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })),
    is_complete: isComplete,
  }),
})

export const searchAppLogs = operation({
  ...tool,
  name: 'maintenance.tool-search-logs',
  path: '/api/deploy/maintenance-agent/tools/search-logs',
  summary: "Find a text in the app's newest log lines",
  input: z.object({
    literal: Literal,
    hours: Hours,
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({
    ...evidence,
    lines: z
      .array(
        z.object({
          at: z.iso.datetime(),
          level: z.string(),
          text: z.string(),
          template: z.string().describe('As log templates have it'),
          frames: z.array(Frame),
          former_revision_id: FormerRevision,
        }),
      )
      .describe('Newest first'),
    is_complete: isComplete,
  }),
})

export const readCheckHistory = operation({
  ...tool,
  name: 'maintenance.tool-check-history',
  path: '/api/deploy/maintenance-agent/tools/check-history',
  summary: "List the latest runs of one of the app's checks",
  input: z.object({ name: z.string().min(1).max(200) }),
  output: z.object({
    ...evidence,
    name: z.string(),
    state: z.string(),
    runs: z
      .array(
        z.object({
          at: z.iso.datetime(),
          verdict: z.string(),
          code: z.string().nullable(),
          detail: z.string().nullable(),
        }),
      )
      .describe('Newest first'),
  }),
})

const CitedLine = z.object({ at: z.iso.datetime(), text: z.string(), revision_id: z.string().optional() })

export const readSignals = operation({
  ...tool,
  name: 'maintenance.tool-signals',
  path: '/api/deploy/maintenance-agent/tools/signals',
  summary: "Compare the app's logs, check runs and deploys by fixed rules",
  description: `${description} Only the detectors call it, and no model.`,
  output: z.object({
    ...evidence,
    signals: z.array(
      z.object({
        kind: z.enum(SIGNAL_KINDS),
        template: z.string().describe('Identifies the fault within its kind'),
        summary: z.string(),
        lines: z.array(CitedLine),
        covers: z.array(z.string()).describe('Log templates that it explains'),
      }),
    ),
    background: z.array(z.string()).describe('Templates of errors that are too rare among the requests to be a fault'),
    samples: z.array(z.object({ template: z.string(), lines: z.array(CitedLine) })).describe('Newest lines of errors'),
  }),
})

export const listRecentFindings = operation({
  ...tool,
  name: 'maintenance.tool-recent-findings',
  path: '/api/deploy/maintenance-agent/tools/findings',
  summary: 'List what earlier runs found in the app',
  output: z.object({
    ...evidence,
    findings: z
      .array(
        z.object({
          kind: z.string(),
          path: z.string().nullable(),
          symbol: z.string().nullable(),
          template: z.string(),
          summary: z.string(),
          first_seen_at: z.iso.datetime(),
          last_seen_at: z.iso.datetime(),
          count: z.int(),
          was_denied: z.boolean().describe('A person denied a change for it'),
        }),
      )
      .describe('Newest first'),
  }),
})

export const stageEdit = operation({
  ...tool,
  name: 'maintenance.tool-stage-edit',
  path: '/api/deploy/maintenance-agent/tools/stage-edit',
  summary: 'Stage an edit of a file for the change that the run may propose',
  description:
    'For runs of the maintenance agent. Nothing is changed by it: a person decides about the change. An edit that does not apply, or of a protected file, is refused.',
  effect: 'write',
  input: z.object({
    path: z
      .string()
      .min(1)
      .max(1024)
      .describe('Exactly as the list of files has it, or the path of a test file to add'),
    old: z
      .string()
      .max(32_768)
      .describe(
        'Must occur exactly once in the file as earlier edits leave it. Empty: adds a test file with the new text',
      ),
    new: z.string().max(32_768).describe('Replaces it'),
  }),
  output: z.object({
    staged: z.int().describe('Number of edits that are staged now'),
    files: z.array(z.string()).describe('The files that they change'),
  }),
})
