import { z } from 'zod'
import { IdInput, TimeInput } from '../core/inputs.ts'
import { jsonDelete, jsonGet, jsonPatch, jsonPost, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Role } from '../core/roles.ts'
import { Domain, Email, Org, OrgName } from './auth.ts'

const inOrg = { principals: ['user', 'api_token'], scope: null, org: 'path' } as const
const org_id = IdInput

const Me = z.object({
  kind: z.string(),
  user: z.object({ id: z.string(), email: z.string(), name: z.string().nullable() }).nullable(),
  org: z.object({ id: z.string(), name: z.string(), slug: z.string() }).nullable(),
  role: Role.nullable(),
  read_only: z.boolean(),
})

export const me = operation({
  ...jsonGet,
  name: 'auth.me',
  path: '/api/v1/me',
  summary: 'Get your user, organization and role',
  access: { principals: ['user', 'api_token', 'workload'], role: null, scope: null, org: 'token' },
  output: Me,
})

export const listOrgs = operation({
  ...jsonGet,
  name: 'auth.list-orgs',
  path: '/api/v1/orgs',
  summary: 'List your organizations',
  access: { principals: ['user', 'api_token'], role: null, scope: null, org: 'token', support: 'refused' },
  input: z.object(pageInput),
  output: listOf(Org.omit({ domains: true }).extend({ role: Role })),
})

export const readOrg = operation({
  ...jsonGet,
  name: 'auth.read-org',
  path: '/api/v1/orgs/{org_id}',
  summary: 'Show the organization and its email domains',
  access: { ...inOrg, role: 'viewer' },
  input: z.object({ org_id }),
  output: Org,
})

export const renameOrg = operation({
  ...jsonPatch,
  name: 'auth.rename-org',
  path: '/api/v1/orgs/{org_id}',
  summary: 'Rename the organization',
  description: 'Its slug stays, because addresses and commands contain it.',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  input: z.object({ org_id, name: OrgName }),
  output: Org,
})

export const nameMembers = operation({
  ...jsonGet,
  name: 'members.names',
  path: '/api/v1/orgs/{org_id}/names',
  summary: 'Look up the names of members by their ids',
  description: 'For ids that other answers contain. Names only; people who are not members now are left out.',
  access: { ...inOrg, role: 'viewer' },
  input: z.object({
    org_id,
    user_ids: z
      .string()
      .max(4000)
      .regex(/^usr_[0-9a-z]{26}(?:,usr_[0-9a-z]{26}){0,99}$/, 'must be at most 100 ids of users, joined by commas'),
  }),
  output: z.object({ items: z.array(z.object({ user_id: z.string(), name: z.string() })) }),
})

const Member = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  role: Role,
  joined_at: z.iso.datetime(),
  /** Absent from hosted auth services of former releases. */
  has_signed_in: z
    .boolean()
    .optional()
    .describe('Whether they ever signed in with an identity provider or by a mailed link'),
})

export const listMembers = operation({
  ...jsonGet,
  name: 'members.list',
  path: '/api/v1/orgs/{org_id}/members',
  summary: 'List the members of the organization',
  access: { ...inOrg, role: 'admin' },
  input: z.object({ org_id, ...pageInput }),
  output: listOf(Member),
})

export const changeRole = operation({
  ...jsonPut,
  name: 'members.change-role',
  path: '/api/v1/orgs/{org_id}/members/{user_id}',
  summary: 'Change the role of a member',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  errors: ['LAST_OWNER'],
  input: z.object({ org_id, user_id: IdInput, role: Role }),
  output: Member,
})

export const removeMember = operation({
  ...jsonDelete,
  name: 'members.remove',
  path: '/api/v1/orgs/{org_id}/members/{user_id}',
  summary: 'Remove a member, or leave the organization',
  description:
    'Owners can remove anyone. Everyone can remove themselves. The tokens of a removed member stop working at once.',
  access: { ...inOrg, role: 'viewer', support: 'refused' },
  errors: ['LAST_OWNER'],
  input: z.object({ org_id, user_id: IdInput }),
  output: z.object({ user_id: z.string(), removed: z.literal(true) }),
})

const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: Role,
  invited_by: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})

export const createInvitation = operation({
  ...jsonPost,
  name: 'invitations.create',
  path: '/api/v1/orgs/{org_id}/invitations',
  summary: 'Invite a person by email',
  description:
    'Mails a link to the person. The link and its token are also in this answer, and only here. They can be used once, within seven days, by a person who signs in with that verified email address. One address gets at most ten invitations a day.',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  rateLimits: [{ name: 'invite', per: 'org', limit: 100, windowSeconds: 3600 }],
  idempotent: true,
  status: 201,
  input: z.object({ org_id, email: Email, role: Role }),
  output: Invitation.extend({ token: z.string(), link: z.url() }),
})

export const resendInvitation = operation({
  ...jsonPost,
  name: 'invitations.resend',
  path: '/api/v1/orgs/{org_id}/invitations/{id}/resend',
  summary: 'Mail an open invitation again',
  description:
    'Mails a new link that is valid for seven days. The former link stops working. One address gets at most ten invitations a day.',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  rateLimits: [{ name: 'invite-again', per: 'org', limit: 100, windowSeconds: 3600 }],
  idempotent: true,
  input: z.object({ org_id, id: IdInput }),
  output: Invitation.extend({ token: z.string(), link: z.url() }),
})

export const listInvitations = operation({
  ...jsonGet,
  name: 'invitations.list',
  path: '/api/v1/orgs/{org_id}/invitations',
  summary: 'List open invitations',
  access: { ...inOrg, role: 'owner' },
  input: z.object({ org_id, ...pageInput }),
  output: listOf(
    Invitation.extend({
      mail: z
        .object({ status: z.enum(['waiting', 'sent', 'not_sent']), reason: z.string().nullable() })
        .nullable()
        .describe(
          'What became of the newest mail about it. Where no mail server is configured, `sent` is into the local mailbox',
        ),
    }),
  ),
})

export const revokeInvitation = operation({
  ...jsonDelete,
  name: 'invitations.revoke',
  path: '/api/v1/orgs/{org_id}/invitations/{id}',
  summary: 'Revoke an invitation',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  input: z.object({ org_id, id: IdInput }),
  output: z.object({ id: z.string(), revoked: z.literal(true) }),
})

export const acceptInvitation = operation({
  ...jsonPost,
  name: 'invitations.accept',
  path: '/api/v1/invitations/accept',
  summary: 'Accept an invitation',
  description: 'Only the person can, signed in. An API token is of one organization and accepts nothing of another.',
  access: { principals: ['user'], role: null, scope: null, org: 'token', support: 'refused' },
  rateLimits: [{ name: 'invitation-accept', per: 'principal', counts: 'failures', limit: 20, windowSeconds: 60 }],
  errors: ['INVITATION_INVALID'],
  input: z.object({ token: z.string().max(200) }),
  output: z.object({ org_id: z.string(), role: Role }),
})

export const setDomains = operation({
  ...jsonPut,
  name: 'domains.set',
  path: '/api/v1/orgs/{org_id}/domains',
  summary: 'Set the email domains whose users join automatically',
  description: 'An owner can add the domain of their own verified email address, and remove any domain.',
  access: { ...inOrg, role: 'owner', support: 'refused' },
  input: z.object({ org_id, domains: z.array(Domain).max(50) }),
  output: z.object({ domains: z.array(z.string()) }),
})

export const AuditEntry = z.object({
  id: z.string(),
  actor: z.string(),
  actor_name: z.string().nullable().describe('Name of the person behind the actor, if they are known here'),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.unknown()),
  at: z.iso.datetime(),
})

export const listAudit = operation({
  ...jsonGet,
  name: 'audit.list',
  path: '/api/v1/orgs/{org_id}/audit',
  summary: 'List the audit log of the organization',
  description:
    'Owners see every entry. Admins see the part about support access: sessions of vendor staff, and what vendor staff did in them.',
  // Vendor staff must not read what they are watched by.
  access: { ...inOrg, role: 'admin', support: 'refused' },
  input: z.object({
    org_id,
    subject: z
      .string()
      .max(40)
      .regex(/^[a-z_]+$/, 'must be the first part of an action, such as member')
      .optional()
      .describe('Only actions that begin with it and a dot: `member` for `member.removed`'),
    user_id: IdInput.optional().describe('Only what this person did, also with a token'),
    from: TimeInput.optional().describe('From this time on'),
    to: TimeInput.optional().describe('Before this time'),
    ...pageInput,
  }),
  output: listOf(AuditEntry),
})
