import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { jsonDelete, jsonGet, jsonPost, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Email } from './auth.ts'

const inOrg = { principals: ['user', 'api_token'], scope: null, org: 'path' } as const

const Deletion = z.object({
  requested_by: z.string(),
  requested_at: z.iso.datetime(),
  due_at: z.iso.datetime().describe('Until then nothing changes, and the deletion can be undone.'),
})

export const readOrgDeletion = operation({
  ...jsonGet,
  name: 'deletions.read-org',
  path: '/api/v1/orgs/{org_id}/deletion',
  summary: 'Show whether the organization is going to be deleted',
  access: { ...inOrg, role: 'viewer' },
  input: z.object({ org_id: IdInput }),
  output: z.object({ deletion: Deletion.nullable() }),
})

export const deleteOrg = operation({
  ...jsonPut,
  name: 'deletions.delete-org',
  path: '/api/v1/orgs/{org_id}/deletion',
  summary: 'Delete the organization in seven days',
  description:
    'Every owner gets a mail. Until the seven days are over nothing changes, and an owner can undo the deletion. A second request changes nothing.',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  input: z.object({ org_id: IdInput, confirm: z.string().max(100).describe('The slug of the organization') }),
  output: z.object({ deletion: Deletion }),
})

export const undoOrgDeletion = operation({
  ...jsonDelete,
  name: 'deletions.undo-org',
  path: '/api/v1/orgs/{org_id}/deletion',
  summary: 'Undo the deletion of the organization',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  input: z.object({ org_id: IdInput }),
  output: z.object({ undone: z.literal(true) }),
})

const AnyDeletion = Deletion.extend({
  id: z.string().describe('The id of the organization or the person'),
  kind: z.enum(['organization', 'person']),
  begun_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
})

export const adminListDeletions = operation({
  ...jsonGet,
  name: 'deletions.admin-list',
  path: '/api/v1/admin/deletions',
  access: 'operator',
  summary: 'List deletions of organizations and people, those to come and those that are done',
  input: z.object(pageInput),
  output: listOf(AnyDeletion),
})

export const adminDeletePerson = operation({
  ...jsonPost,
  name: 'deletions.admin-delete-person',
  path: '/api/v1/admin/deletions',
  access: 'operator',
  summary: 'Delete a person in seven days',
  description:
    'The person gets a mail. Refused while they are the last owner of an organization. A second request changes nothing.',
  status: 201,
  errors: ['LAST_OWNER'],
  input: z.object({ email: Email }),
  output: AnyDeletion,
})

export const adminUndoDeletion = operation({
  ...jsonDelete,
  name: 'deletions.admin-undo',
  path: '/api/v1/admin/deletions/{id}',
  access: 'operator',
  summary: 'Undo the deletion of an organization or a person',
  input: z.object({ id: IdInput }),
  output: z.object({ undone: z.literal(true) }),
})
