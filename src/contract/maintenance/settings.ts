import { z } from 'zod'
import { Alias } from '../apps/app-access.ts'
import { byMember } from '../core/access.ts'
import { jsonGet, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'

/** Deciding about the agent is for people: agents and support sessions may not. */
export const byMaintenanceAdmin = { ...byMember, role: 'admin', support: 'refused' } as const

/** The detectors alone: no model is asked, no token is spent, and nothing is proposed. */
export const DETECTORS_MODEL = 'builtin/detectors'
export const DETECTORS_PROPOSE_NOTHING = `The model ${DETECTORS_MODEL} records findings and never proposes a change.`

export const DEFAULT_CADENCE = { nightly_cron: '0 3 * * *', timezone: 'UTC', cooldown_hours: 24 } as const

const Cadence = z.object({
  nightly_cron: z.string().max(100).describe('When runs begin: five cron fields, in `timezone`'),
  timezone: z.string().max(64).describe('IANA name, such as Europe/Berlin. Also the day of the token pool follows it'),
  cooldown_hours: z
    .int()
    .min(0)
    .max(24 * 31)
    .describe('Least time between two scheduled runs of an app'),
})

const Model = z
  .string()
  .min(1)
  .max(200)
  .describe(
    `\`provider/model\`, one that can call tools; \`${DETECTORS_MODEL}\` needs no key, spends no tokens and never proposes a change. Where deploy-api was given no providers, any name is taken, and a run ends as \`agent_error\` if the worker has no such model`,
  )

export const OrgMaintenance = z.object({ enabled: z.boolean(), model: Model.nullable(), ...Cadence.shape })
export type OrgMaintenance = z.infer<typeof OrgMaintenance>

const orgPath = '/api/deploy/orgs/{org_id}/maintenance-agent'
const OrgId = z.string().max(64)

export const readOrgMaintenance = operation({
  ...jsonGet,
  name: 'maintenance.read-org',
  path: orgPath,
  summary: "Read an organization's maintenance settings",
  description: 'Where maintenance was never enabled, the defaults are returned with `enabled` false and no model.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'path' },
  input: z.object({ org_id: OrgId }),
  output: OrgMaintenance,
})

export const changeOrgMaintenance = operation({
  ...jsonPut,
  name: 'maintenance.change-org',
  path: orgPath,
  summary: 'Switch the maintenance agent of an organization on or off',
  description:
    'The model is required the first time it is enabled. What is not given stays as it is. Enabling enables no app. Disabling switches every app off and stops running runs at once: when the answer arrives, no run writes, reads or spends any more.',
  access: { ...byMaintenanceAdmin, org: 'path' },
  input: z.object({
    org_id: OrgId,
    enabled: z.boolean().optional().describe('False until it is given for the first time'),
    model: Model.optional(),
    ...Cadence.partial().shape,
  }),
  output: OrgMaintenance,
})

export const changeAppMaintenance = operation({
  ...jsonPut,
  name: 'maintenance.change-app',
  path: '/api/deploy/deployments/{alias}/maintenance-agent',
  summary: 'Switch the maintenance agent on or off for an app',
  description:
    "Enabling needs the organization's capability. Disabling stops a running run at once: when the answer arrives, it writes, reads and spends nothing any more. Its history stays.",
  access: byMaintenanceAdmin,
  errors: ['MAINTENANCE_AGENT_NOT_FOUND'],
  input: z.object({ alias: Alias, enabled: z.boolean() }),
  output: z.object({ enabled: z.boolean() }),
})
