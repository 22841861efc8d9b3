import { z } from 'zod'
import { boundedMap } from '../core/bounded-map.ts'
import { jsonGet, jsonPatch } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { Alias, byBuilder } from './app-access.ts'

export const MAX_VARIABLES = 200
/** More than an app can have, so that a change past the limit is refused as such. */
const MAX_CHANGED_VARIABLES = 1_000
/** Limit for all variables of an app together, as they are stored. A process cannot be started with much more than this. */
export const MAX_ENVIRONMENT_BYTES = 512 * 1024

const VariableName = z
  .string()
  .max(100)
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'must begin with a letter or underscore and contain letters, digits and underscores',
  )

const Environment = z.object({
  items: z.array(
    z.object({ name: z.string(), updated_at: z.iso.datetime(), updated_by: z.string().describe('Id of the user') }),
  ),
})

export const readEnvironment = operation({
  ...jsonGet,
  name: 'apps.read-environment',
  path: '/api/deploy/deployments/{alias}/environment',
  summary: 'List the environment variables of an app',
  description: 'Values are never shown again.',
  access: byBuilder,
  input: z.object({ alias: Alias }),
  output: Environment,
})

export const changeEnvironment = operation({
  ...jsonPatch,
  name: 'apps.change-environment',
  path: '/api/deploy/deployments/{alias}/environment',
  summary: 'Set and remove environment variables of an app',
  description:
    'Takes effect when the app is next deployed or started again. Values are stored sealed. Names that svc sets itself are refused: `PORT`, `HOME`, `TMPDIR`, the proxy variables and `SVC_…`.',
  access: { ...byBuilder, support: 'refused' },
  errors: ['APP_LIMIT'],
  input: z.object({
    alias: Alias,
    set: boundedMap(VariableName, z.string().max(32_768), MAX_CHANGED_VARIABLES).default({}),
    remove: z.array(VariableName).max(MAX_VARIABLES).default([]),
  }),
  output: Environment,
})
