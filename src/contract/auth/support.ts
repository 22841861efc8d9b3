import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { jsonDelete, jsonGet, jsonPost, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Domain, Email } from './auth.ts'
import { AuditEntry } from './members.ts'

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
  ...jsonPost,
  name: 'support.start',
  path: '/api/v1/admin/support-sessions',
  access: 'operator',
  summary: 'Start a read-only support session of at most one hour',
  status: 201,
  input: z.object({ org_id: IdInput, staff_email: Email, reason: z.string().trim().min(1).max(500) }),
  output: SupportSession.extend({ token: z.string() }),
})

export const elevateSupport = operation({
  ...jsonPost,
  name: 'support.elevate',
  path: '/api/v1/admin/support-sessions/{id}/elevate',
  access: 'operator',
  summary: 'Elevate a support session to the role admin',
  input: z.object({ id: IdInput }),
  output: SupportSession,
})

export const endSupport = operation({
  ...jsonDelete,
  name: 'support.end',
  path: '/api/v1/admin/support-sessions/{id}',
  access: 'operator',
  summary: 'End a support session',
  input: z.object({ id: IdInput }),
  output: SupportSession,
})

export const listSupport = operation({
  ...jsonGet,
  name: 'support.list',
  path: '/api/v1/orgs/{org_id}/support-sessions',
  summary: 'List the support sessions of vendor staff in the organization',
  access: { principals: ['user', 'api_token'], role: 'owner', scope: null, org: 'path' },
  input: z.object({ org_id: IdInput, ...pageInput }),
  output: listOf(SupportSession),
})

export const listOpenSupport = operation({
  ...jsonGet,
  name: 'support.open',
  path: '/api/v1/orgs/{org_id}/support-sessions/open',
  summary: 'List the support sessions that are open now',
  description:
    'Every member can see that vendor staff are in the organization; who and why, owners see in the full list.',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'path' },
  input: z.object({ org_id: IdInput }),
  output: z.object({
    items: z.array(SupportSession.pick({ id: true, created_at: true, expires_at: true, elevated_at: true })),
  }),
})

export const adminSetDomains = operation({
  ...jsonPut,
  name: 'domains.admin-set',
  path: '/api/v1/admin/orgs/{org_id}/domains',
  access: 'operator',
  summary: 'Set the email domains of an organization',
  input: z.object({ org_id: IdInput, domains: z.array(Domain).max(50) }),
  output: z.object({ domains: z.array(z.string()) }),
})

export const adminListAudit = operation({
  ...jsonGet,
  name: 'audit.admin-list',
  path: '/api/v1/admin/audit',
  access: 'operator',
  summary: 'List the audit log of the operator token',
  input: z.object(pageInput),
  output: listOf(AuditEntry.extend({ org_id: z.string().nullable() })),
})
