import { z } from 'zod'
import { jsonDelete, jsonGet, jsonPatch, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Alias, byAppAdministrator, byBuilder } from './app-access.ts'
import { Deploy } from './deploys.ts'

export const MAX_APPS_PER_ORG = 100

const Command = z.string().trim().min(1).max(1000)

/** How an app is built, started and probed. */
export const AppSettings = z.object({
  build_command: Command.nullable().describe('Run by `sh -c` in a clean copy of the source; null: nothing is built'),
  start_command: Command.nullable().describe(
    'Run by `sh -c`. The app must listen on 127.0.0.1 at the port in `PORT`. Null: the app runs elsewhere',
  ),
  health_path: z
    .string()
    .max(500)
    .regex(/^\/(?!\/)[!"$-~]*$/, 'must begin with one / and contain only printable ASCII without spaces and #')
    .describe('Answers 200 to 399 when the app is healthy'),
})
export type AppSettings = z.infer<typeof AppSettings>
const SettingsInput = AppSettings.partial().strict().default({})

export const DEFAULT_APP_SETTINGS: AppSettings = { build_command: null, start_command: null, health_path: '/' }

export const App = z.object({
  id: z.string(),
  alias: z.string(),
  name: z.string(),
  url: z
    .string()
    .nullable()
    .describe('Where the app answers; null while it has no start command, or without SVC_APPS_DOMAIN'),
  settings: AppSettings,
  state: z.enum(['active', 'deleting']),
  live_deploy: Deploy.pick({ id: true, revision_id: true, revision_message: true, live_at: true })
    .nullable()
    .describe('Null if nothing was deployed yet'),
  latest_deploy: Deploy.pick({ id: true, state: true, failure_code: true, created_at: true }).nullable(),
  created_at: z.iso.datetime(),
})
export type App = z.infer<typeof App>

export const createApp = operation({
  ...jsonPost,
  name: 'apps.create',
  path: '/api/deploy/deployments',
  summary: 'Create an app',
  description:
    'The caller becomes its administrator. The address of the app is made of its alias and the slug of the organization, and never changes. Nothing runs until a revision is deployed.',
  access: { principals: ['user', 'api_token'], role: 'developer', scope: null, org: 'token', support: 'refused' },
  errors: ['CONFLICT', 'APP_LIMIT', 'UNAVAILABLE'],
  idempotent: true,
  status: 201,
  input: z.object({
    alias: Alias,
    name: z.string().trim().min(1).max(100).optional().describe('The alias, if it is not given'),
    settings: SettingsInput,
  }),
  output: App,
})

export const listApps = operation({
  ...jsonGet,
  name: 'apps.list',
  path: '/api/deploy/deployments',
  summary: 'List apps',
  description: 'Developers see all apps of the organization, other members those in which they have a part.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token' },
  input: z.object(pageInput),
  output: listOf(App),
})

export const readApp = operation({
  ...jsonGet,
  name: 'apps.read',
  path: '/api/deploy/deployments/{alias}',
  summary: 'Show an app',
  access: byBuilder,
  input: z.object({ alias: Alias }),
  output: App,
})

export const changeApp = operation({
  ...jsonPatch,
  name: 'apps.change',
  path: '/api/deploy/deployments/{alias}',
  summary: 'Change name or settings of an app',
  description: 'What is not given stays as it is. Settings take effect with the next deploy.',
  access: { ...byAppAdministrator, support: 'refused' },
  input: z.object({
    alias: Alias,
    name: z.string().trim().min(1).max(100).optional(),
    settings: SettingsInput,
  }),
  output: App,
})

export const deleteApp = operation({
  ...jsonDelete,
  name: 'apps.delete',
  path: '/api/deploy/deployments/{alias}',
  summary: 'Delete an app with everything that belongs to it',
  description: 'Repeat the alias as `confirm`. The app is stopped first; its alias can be used again afterwards.',
  access: { ...byAppAdministrator, support: 'refused' },
  status: 202,
  input: z.object({ alias: Alias, confirm: z.string().max(100).describe('The alias again, to confirm') }),
  output: z.object({ alias: z.string(), state: z.literal('deleting') }),
})
