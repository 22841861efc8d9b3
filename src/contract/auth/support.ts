import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { BODY_LIMIT, NO_BODY } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Domain, Email } from './auth.ts'
import { AuditEntry } from './members.ts'

const operator = { kind: 'json', access: 'operator' } as const

const SupportSession = z.object({
  id: z.string(),
  org_id: z.string(),
  staff_email: z.string(),
  reason: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  elevated_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
})

export const startSupport = operation({
  ...operator,
  name: 'support.start',
  method: 'POST',
  path: '/api/v1/admin/support-sessions',
  summary: 'Start a read-only support session of at most one hour',
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  status: 201,
  input: z.object({ org_id: IdInput, staff_email: Email, reason: z.string().trim().min(1).max(500) }),
  output: SupportSession.extend({ token: z.string() }),
})

export const elevateSupport = operation({
  ...operator,
  name: 'support.elevate',
  method: 'POST',
  path: '/api/v1/admin/support-sessions/{id}/elevate',
  summary: 'Elevate a support session to the role admin',
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  input: z.object({ id: IdInput }),
  output: SupportSession,
})

export const endSupport = operation({
  ...operator,
  name: 'support.end',
  method: 'DELETE',
  path: '/api/v1/admin/support-sessions/{id}',
  summary: 'End a support session',
  effect: 'write',
  bodyLimit: NO_BODY,
  input: z.object({ id: IdInput }),
  output: SupportSession,
})

export const listSupport = operation({
  kind: 'json',
  name: 'support.list',
  method: 'GET',
  path: '/api/v1/orgs/{org_id}/support-sessions',
  summary: 'List the support sessions of vendor staff in the organization',
  access: { principals: ['user', 'api_token'], role: 'owner', scope: null, org: 'path' },
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({ org_id: IdInput, ...pageInput }),
  output: listOf(SupportSession),
})

export const listOpenSupport = operation({
  kind: 'json',
  name: 'support.open',
  method: 'GET',
  path: '/api/v1/orgs/{org_id}/support-sessions/open',
  summary: 'List the support sessions that are open now',
  description:
    'Every member can see that vendor staff are in the organization; who and why, owners see in the full list.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'path' },
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({ org_id: IdInput }),
  output: z.object({
    items: z.array(SupportSession.pick({ id: true, created_at: true, expires_at: true, elevated_at: true })),
  }),
})

export const adminSetDomains = operation({
  ...operator,
  name: 'domains.admin-set',
  method: 'PUT',
  path: '/api/v1/admin/orgs/{org_id}/domains',
  summary: 'Set the email domains of an organization',
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  input: z.object({ org_id: IdInput, domains: z.array(Domain).max(50) }),
  output: z.object({ domains: z.array(z.string()) }),
})

export const adminListAudit = operation({
  ...operator,
  name: 'audit.admin-list',
  method: 'GET',
  path: '/api/v1/admin/audit',
  summary: 'List the audit log of the operator token',
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object(pageInput),
  output: listOf(AuditEntry.extend({ org_id: z.string().nullable() })),
})
