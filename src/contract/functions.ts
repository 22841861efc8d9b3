import { z } from 'zod'
import { Alias } from './apps/app-access.ts'
import { jsonGet, jsonPost } from './core/methods.ts'
import { operation } from './core/operation.ts'
import { listOf, pageInput } from './core/paging.ts'
import { JsonObject, JsonSchema, MAX_FUNCTION_SECONDS, ServedName } from './workers.ts'

const byCaller = { principals: ['user', 'api_token', 'agent'], scope: 'functions:call', org: 'token' } as const

const AppFunction = z.object({
  alias: z.string().describe('The app'),
  name: z.string(),
  description: z.string(),
  input_schema: JsonSchema.describe('JSON Schema of the arguments'),
  timeout_seconds: z.int(),
  connected: z.boolean().describe('Whether a worker is connected that runs it'),
})
export type AppFunction = z.infer<typeof AppFunction>

export const listFunctions = operation({
  ...jsonGet,
  name: 'functions.list',
  path: '/api/deploy/functions',
  summary: 'List functions of apps',
  description: 'Functions that workers of the organization have registered, by app and name.',
  access: { ...byCaller, role: 'viewer' },
  errors: ['NOT_FOUND'],
  input: z.object({ alias: Alias.optional().describe('Only functions of this app'), ...pageInput }),
  output: listOf(AppFunction),
  tool: {
    name: 'functions_list',
    endpoint: 'platform',
    description:
      'Lists the functions that the apps of your organization offer, with the JSON schema of their arguments. `connected: false` means that no worker runs it now. Call one with function_call.',
  },
})

export const callFunction = operation({
  ...jsonPost,
  name: 'functions.call',
  path: '/api/deploy/deployments/{alias}/functions/{name}/calls',
  summary: 'Call a function of an app',
  description:
    'Waits for the result. A call is run at most once, unless its function is marked as repeatable. Closing the connection cancels it. Arguments and results are not stored.',
  access: { ...byCaller, role: 'member', support: 'refused' },
  errors: ['NO_WORKER', 'RATE_LIMITED', 'FUNCTION_FAILED', 'WORKER_LOST', 'TIMEOUT'],
  input: z.object({
    alias: Alias,
    name: ServedName,
    arguments: JsonObject.default({}).describe('Must match the input_schema of the function'),
    timeout_seconds: z.int().min(1).max(MAX_FUNCTION_SECONDS).optional().describe('Less than the function allows'),
  }),
  output: z.object({ call_id: z.string(), result: z.unknown().describe('What the function returned') }),
  tool: {
    name: 'function_call',
    endpoint: 'platform',
    runsForeignCode: true,
    description:
      'Calls a function of an app and returns its result. Take alias, name and the schema of the arguments from functions_list. The function may change data.',
  },
})
