import { z } from 'zod'
import { jsonDelete, jsonGet, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { AppPart } from '../core/roles.ts'
import { Alias, byAppAdministrator, byBuilder } from './app-access.ts'

export const MAX_PEOPLE_PER_APP = 200

const AppPerson = z.object({
  user_id: z.string(),
  display_name: z.string().nullable().describe('Null if the auth service cannot be asked'),
  is_member: z
    .boolean()
    .nullable()
    .describe('False: no member of the organization any more, so that the part has no effect. Null as above'),
  part: AppPart,
  added_at: z.iso.datetime(),
})

export const listAppPeople = operation({
  ...jsonGet,
  name: 'apps.list-people',
  path: '/api/deploy/deployments/{alias}/people',
  summary: 'List the people who have a part in an app',
  description: 'Owners and admins of the organization may do everything in every app and are not listed.',
  access: byBuilder,
  input: z.object({ alias: Alias }),
  output: z.object({ items: z.array(AppPerson) }),
})

export const setAppPerson = operation({
  ...jsonPut,
  name: 'apps.set-person',
  path: '/api/deploy/deployments/{alias}/people/{user_id}',
  summary: 'Give a member of the organization a part in an app',
  description: 'Replaces the part that the person has.',
  access: { ...byAppAdministrator, support: 'refused' },
  errors: ['APP_LIMIT', 'UNAVAILABLE'],
  input: z.object({ alias: Alias, user_id: z.string().max(100), part: AppPart }),
  output: AppPerson,
})

export const removeAppPerson = operation({
  ...jsonDelete,
  name: 'apps.remove-person',
  path: '/api/deploy/deployments/{alias}/people/{user_id}',
  summary: "Remove a person's part in an app",
  access: { ...byAppAdministrator, support: 'refused' },
  input: z.object({ alias: Alias, user_id: z.string().max(100) }),
  output: z.object({ user_id: z.string(), removed: z.literal(true) }),
})
