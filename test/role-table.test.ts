import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { createInvitation } from '#contract/auth/members.ts'
import { startSupport } from '#contract/auth/support.ts'
import { createToken, revokeToken } from '#contract/auth/tokens.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { type System, startSystem } from '#test/system.ts'

/** In the order of the columns. `other` owns another organization; `support` is a read-only support session. */
const CALLERS = [
  'none',
  'viewer',
  'member',
  'developer',
  'admin',
  'owner',
  'other',
  'revoked',
  'support',
  'operator',
] as const
type Caller = (typeof CALLERS)[number]

type Fixture = { system: System; org: string; owner: string }
type Request = { path: string; body?: object }
type Row = [operation: string, expected: string, request: (fixture: Fixture) => Promise<Request> | Request]

const at = (path: string, body?: object) => () => (body ? { path, body } : { path })
const unique = () => Math.random().toString(36).slice(2)

const EMBEDDING = { table: 't', from: { column: 'a', model: 'm' }, to: { column: 'b', model: 'n', dimensions: 8 } }

/** Who gets what, written down and not computed: a new operation without its row fails. */
// biome-ignore format: the columns are the point
const TABLE: Row[] = [
  //                          none viewer member dev admin owner other revoked support operator
  ['system.health',           '200 200 200 200 200 200 200 200 200 200', at('/healthz')],
  ['system.ready',            '200 200 200 200 200 200 200 200 200 200', at('/readyz')],
  ['system.metrics',          '404 404 404 404 404 404 404 404 404 200', at('/metrics')],
  ['system.openapi',          '200 200 200 200 200 200 200 200 200 200', at('/openapi.json')],
  ['system.docs',             '200 200 200 200 200 200 200 200 200 200', at('/docs')],
  ['system.docs-of-area',     '200 200 200 200 200 200 200 200 200 200', at('/docs/apps')],
  ['console.page',            '200 200 200 200 200 200 200 200 200 200', at('/')],
  ['console.asset',           '404 404 404 404 404 404 404 404 404 404', at('/assets/none.js')],
  ['skills.index',            '200 200 200 200 200 200 200 200 200 200', at('/.well-known/agent-skills/index.json')],
  ['skills.archive',          '200 200 200 200 200 200 200 200 200 200', at('/.well-known/agent-skills/svc.tar.gz')],
  ['skills.entry',            '200 200 200 200 200 200 200 200 200 200', at('/.well-known/agent-skills/svc-faq/SKILL.md')],
  ['skills.reference',        '200 200 200 200 200 200 200 200 200 200', at('/.well-known/agent-skills/svc/references/databases.md')],
  ['client.describe-instance', '200 200 200 200 200 200 200 200 200 200', at('/.well-known/svc.json')],
  ['client.package',          '200 200 200 200 200 200 200 200 200 200', at('/client.tgz')],
  ['client.release',          '404 404 404 404 404 404 404 404 404 404', at('/client/none.tgz')],
  ['guides.index',            '200 200 200 200 200 200 200 200 200 200', at('/guides')],
  ['guides.file',             '200 200 200 200 200 200 200 200 200 200', at('/guides/running')],
  ['auth.validate-token',     '200 200 200 200 200 200 200 200 200 200', ({ owner }) => ({ path: '/api/v1/tokens/validate', body: { token: owner } })],
  ['auth.me',                 '401 200 200 200 200 200 200 401 200 401', at('/api/v1/me')],
  ['auth.list-orgs',          '401 200 200 200 200 200 200 401 403 401', at('/api/v1/orgs')],
  ['auth.create-org',         '401 201 201 201 201 201 201 401 403 401', at('/api/v1/orgs', { name: 'Table' })],
  ['auth.admin-create-org',   '401 401 401 401 401 401 401 401 401 201', at('/api/v1/admin/orgs', { name: 'Table' })],
  ['auth.admin-create-token', '401 401 401 401 401 401 401 401 401 201', ({ org }) => ({ path: '/api/v1/admin/tokens', body: { org_id: org, email: `${unique()}@example.com`, name: 't' } })],
  ['domains.admin-set',       '401 401 401 401 401 401 401 401 401 200', ({ org }) => ({ path: `/api/v1/admin/orgs/${org}/domains`, body: { domains: [] } })],
  ['audit.admin-list',        '401 401 401 401 401 401 401 401 401 200', at('/api/v1/admin/audit')],
  ['support.start',           '401 401 401 401 401 401 401 401 401 201', ({ org }) => ({ path: '/api/v1/admin/support-sessions', body: { org_id: org, staff_email: 's@example.com', reason: 'table' } })],
  ['support.elevate',         '401 401 401 401 401 401 401 401 401 200', async (f) => ({ path: `/api/v1/admin/support-sessions/${await newSupport(f)}/elevate`, body: {} })],
  ['support.end',             '401 401 401 401 401 401 401 401 401 200', async (f) => ({ path: `/api/v1/admin/support-sessions/${await newSupport(f)}` })],
  ['support.list',            '401 403 403 403 403 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/support-sessions` })],
  ['agents.list',             '401 200 200 200 200 200 200 401 403 401', at('/api/v1/agents')],
  ['agents.disconnect',       '401 404 404 404 404 404 404 401 403 401', at('/api/v1/agents/grt_none')],
  ['agents.end-connection',   '401 404 404 404 404 404 404 401 403 401', at('/api/v1/agent-connections/grt_none')],
  ['agents.list-org',         '401 403 403 403 200 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/agents` })],
  ['agents.revoke',           '401 403 403 403 404 404 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/agents/grt_none` })],
  ['agents.revoke-connection','401 403 403 403 404 404 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/agent-connections/grt_none` })],
  ['agents.allow',            '401 404 404 404 404 404 404 401 403 401', at('/api/v1/agents/grt_none/allow', {})],
  ['agents.allow-member',     '401 403 403 403 404 404 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/agents/grt_none/allow`, body: {} })],
  ['company-sign-on.read',    '401 403 403 403 403 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/company-sign-on` })],
  ['company-sign-on.set',     '401 403 403 403 403 409 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/company-sign-on`, body: { issuer: 'https://id.example.com', scopes: ['datasources:read'] } })],
  ['company-sign-on.end',     '401 403 403 403 403 404 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/company-sign-on` })],
  ['company-sign-on.list-clients', '401 403 403 403 403 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/company-clients` })],
  ['company-sign-on.create-client', '401 403 403 403 403 409 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/company-clients`, body: { name: 'agent' } })],
  ['company-sign-on.delete-client', '401 403 403 403 403 404 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/company-clients/oac_none` })],
  // Requests of an agent and a browser: no token opens or closes any of them.
  ['oauth.metadata',          '200 200 200 200 200 200 200 200 200 200', at('/.well-known/oauth-authorization-server')],
  ['oauth.register',          '400 400 400 400 400 400 400 400 400 400', at('/oauth/register', {})],
  ['oauth.authorize',         '400 400 400 400 400 400 400 400 400 400', at('/oauth/authorize')],
  ['oauth.resume',            '400 400 400 400 400 400 400 400 400 400', at('/oauth/authorize/none')],
  ['oauth.consent-page',      '400 400 400 400 400 400 400 400 400 400', at('/oauth/consent/none')],
  ['oauth.consent',           '415 415 415 415 415 415 415 415 415 415', at('/oauth/consent/none', {})],
  ['oauth.token',             '415 415 415 415 415 415 415 415 415 415', at('/oauth/token', {})],
  ['oauth.revoke',            '415 415 415 415 415 415 415 415 415 415', at('/oauth/revoke', {})],
  ['tokens.list',             '401 200 200 200 200 200 200 401 403 401', at('/api/v1/tokens')],
  ['tokens.list-org',         '401 403 403 403 403 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/tokens` })],
  ['tokens.create',           '401 201 201 201 201 201 201 401 403 401', at('/api/v1/tokens', { name: 'table' })],
  // Someone else's: only an owner may, to the others it is not there.
  ['tokens.revoke',           '401 404 404 404 404 200 404 401 403 401', async (f) => ({ path: `/api/v1/tokens/${(await newMember(f)).tokenId}` })],
  ['auth.read-org',           '401 200 200 200 200 200 404 401 200 401', ({ org }) => ({ path: `/api/v1/orgs/${org}` })],
  ['auth.rename-org',         '401 403 403 403 403 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}`, body: { name: 'Table' } })],
  ['deletions.read-org',      '401 200 200 200 200 200 404 401 200 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/deletion` })],
  ['deletions.delete-org',    '401 403 403 403 403 400 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/deletion`, body: { confirm: 'another' } })],
  ['deletions.undo-org',      '401 403 403 403 403 404 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/deletion` })],
  ['deletions.admin-list',    '401 401 401 401 401 401 401 401 401 200', at('/api/v1/admin/deletions')],
  ['deletions.admin-delete-person', '401 401 401 401 401 401 401 401 401 404', at('/api/v1/admin/deletions', { email: 'nobody@example.net' })],
  ['deletions.admin-undo',    '401 401 401 401 401 401 401 401 401 404', at('/api/v1/admin/deletions/org_none')],
  ['members.names',           '401 400 400 400 400 400 404 401 400 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/names?user_ids=x` })],
  ['support.open',            '401 200 200 200 200 200 404 401 200 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/support-sessions/open` })],
  ['members.list',            '401 403 403 403 200 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/members` })],
  ['members.change-role',     '401 403 403 403 403 200 404 401 403 401', async (f) => ({ path: `/api/v1/orgs/${f.org}/members/${(await newMember(f)).userId}`, body: { role: 'viewer' } })],
  ['members.remove',          '401 403 403 403 403 200 404 401 403 401', async (f) => ({ path: `/api/v1/orgs/${f.org}/members/${(await newMember(f)).userId}` })],
  ['invitations.create',      '401 403 403 403 403 201 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/invitations`, body: { email: 'new@example.com', role: 'viewer' } })],
  ['invitations.list',        '401 403 403 403 403 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/invitations` })],
  ['invitations.resend',      '401 403 403 403 403 200 404 401 403 401', async (f) => ({ path: `/api/v1/orgs/${f.org}/invitations/${await newInvitation(f)}/resend`, body: {} })],
  ['invitations.page',        '404 404 404 404 404 404 404 404 404 404', at('/auth/invitations/none')],
  ['invitations.accept-form', '415 415 415 415 415 415 415 415 415 415', at('/auth/invitations/none', {})],
  ['invitations.revoke',      '401 403 403 403 403 200 404 401 403 401', async (f) => ({ path: `/api/v1/orgs/${f.org}/invitations/${await newInvitation(f)}` })],
  ['invitations.accept',      '401 403 403 403 403 403 403 401 403 401', at('/api/v1/invitations/accept', { token: 'svci_none' })],
  ['domains.set',             '401 403 403 403 403 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/domains`, body: { domains: [] } })],
  ['audit.list',              '401 403 403 403 200 200 404 401 403 401', ({ org }) => ({ path: `/api/v1/orgs/${org}/audit` })],
  ['data-sources.slim-list',  '401 200 200 200 200 200 200 401 200 401', at('/api/wf/slim/data-sources')],
  ['activity.list',           '401 200 200 200 200 200 200 401 200 401', at('/api/activity')],
  ['ai.agent-pool',           '401 403 403 403 200 200 200 401 403 401', at('/api/ai/agent-pool')],
  ['notifications.count-unread', '401 200 200 200 200 200 200 401 403 401', at('/api/notifications/unread-count')],
  ['notifications.delivery-statistics', '401 403 403 403 200 200 200 401 403 401', at('/api/notifications/delivery-statistics')],
  ['activity.statistics',     '401 200 200 200 200 200 200 401 200 401', at('/api/activity/statistics')],
  ['activity.set-quota',      '401 401 401 401 401 401 401 401 401 200', ({ org }) => ({ path: `/api/wf/admin/quotas/${org}`, body: { per_minute: null, per_day: null } })],
  ['ai.models',               '401 200 200 200 200 200 200 401 200 401', at('/api/ai/v1/models')],
  ['ai.chat-completions',     '401 404 404 404 404 404 404 401 403 401', at('/api/ai/v1/chat/completions', { model: 'none/none', messages: [{ role: 'user', content: 'table' }] })],
  ['ai.embeddings',           '401 200 200 200 200 200 200 401 403 401', at('/api/ai/v1/embeddings', { model: 'builtin/all-minilm-l6-v2', input: 'table' })],
  ['notifications.list',      '401 200 200 200 200 200 200 401 403 401', at('/api/notifications/inbox')],
  ['notifications.follow',    '401 200 200 200 200 200 200 401 403 401', at('/api/notifications/inbox/follow')],
  ['notifications.ack',       '401 404 404 404 404 404 404 401 403 401', at('/api/notifications/inbox/ntf_none/ack', {})],
  ['notifications.ack-all',   '401 200 200 200 200 200 200 401 403 401', at('/api/notifications/inbox/ack', { up_to: 'ntf_00000000000000000000000000' })],
  ['notifications.list-channels', '401 403 403 403 200 200 200 401 403 401', at('/api/notifications/channels')],
  ['notifications.test-channel', '401 403 403 403 404 404 404 401 403 401', at('/api/notifications/channels/chn_none/test', {})],
  ['integrations.create-webhook', '401 403 403 403 400 400 400 401 403 401', at('/api/integrations/webhooks', { url: 'https://127.0.0.1/' })],
  ['integrations.change-webhook', '401 403 403 403 404 404 404 401 403 401', at('/api/integrations/webhooks/chn_none', {})],
  ['integrations.delete-webhook', '401 403 403 403 404 404 404 401 403 401', at('/api/integrations/webhooks/chn_none')],
  ['integrations.rotate-webhook-secret', '401 403 403 403 404 404 404 401 403 401', at('/api/integrations/webhooks/chn_none/secret', {})],
  ['integrations.delete-webhook-secret', '401 403 403 403 404 404 404 401 403 401', at('/api/integrations/webhooks/chn_none/secret')],
  ['integrations.read-chat', '401 403 403 403 200 200 200 401 403 401', at('/api/integrations/chat')],
  ['integrations.connect-chat', '401 403 403 403 400 400 400 401 403 401', at('/api/integrations/chat', { webhook_url: 'https://127.0.0.1/' })],
  ['integrations.disconnect-chat', '401 403 403 403 404 404 404 401 403 401', at('/api/integrations/chat')],
  ['integrations.start-chat-installation', '401 403 403 403 409 409 409 401 403 401', at('/api/integrations/chat/installation', {})],
  ['integrations.chat-callback', '401 403 403 403 403 403 403 401 403 401', at('/integrations/chat/callback')],
  ['notifications.read-chat-link', '401 200 200 200 200 200 200 401 403 401', at('/api/notifications/chat-link')],
  ['notifications.start-chat-link', '401 409 409 409 409 409 409 401 403 401', at('/api/notifications/chat-link', {})],
  ['notifications.delete-chat-link', '401 404 404 404 404 404 404 401 403 401', at('/api/notifications/chat-link')],
  ['integrations.configure-forum', '401 403 403 403 409 409 409 401 403 401', at('/api/integrations/forum', { config: { url: 'https://127.0.0.1', category: 1 } })],
  ['integrations.disconnect-forum', '401 403 403 403 404 404 404 401 403 401', at('/api/integrations/forum')],
  ['integrations.connect-forum', '401 403 403 403 200 200 200 401 403 401', at('/api/integrations/forum/connection', { api_key: 'key' })],
  ['integrations.add-email', '401 403 403 403 200 200 200 401 403 401', () => ({ path: '/api/integrations/email', body: { address: `${unique()}@example.org` } })],
  ['integrations.delete-email', '401 403 403 403 404 404 404 401 403 401', at('/api/integrations/email/chn_none')],
  ['notifications.confirm-email-page', '404 404 404 404 404 404 404 404 404 404', at('/confirm-email/none')],
  ['notifications.confirm-email', '415 415 415 415 415 415 415 415 415 415', at('/confirm-email/none', {})],
  ['notifications.list-subscriptions', '401 403 403 403 200 200 200 401 403 401', at('/api/notifications/subscriptions')],
  ['notifications.create-subscription', '401 403 403 403 404 404 404 401 403 401', at('/api/notifications/subscriptions', { event_type: 'deploy.failed', channel_id: 'chn_none' })],
  ['notifications.change-subscription', '401 403 403 403 404 404 404 401 403 401', at('/api/notifications/subscriptions/sub_none', { enabled: false })],
  ['notifications.delete-subscription', '401 403 403 403 404 404 404 401 403 401', at('/api/notifications/subscriptions/sub_none')],
  ['notifications.unsubscribe-page', '404 404 404 404 404 404 404 404 404 404', at('/unsubscribe/none')],
  ['notifications.unsubscribe', '415 415 415 415 415 415 415 415 415 415', at('/unsubscribe/none', {})],
  ['notifications.mailbox', '401 403 403 403 403 404 404 401 403 401', at('/mailbox')],
  ['notifications.read-settings', '401 403 403 403 200 200 200 401 403 401', at('/api/notifications/settings')],
  ['notifications.change-settings', '401 403 403 403 200 200 200 401 403 401', at('/api/notifications/settings', { timezone: 'UTC' })],
  ['notifications.list-deliveries', '401 403 403 403 200 200 200 401 403 401', at('/api/notifications/deliveries')],
  ['notifications.read-delivery', '401 403 403 403 404 404 404 401 403 401', at('/api/notifications/deliveries/ntf_none')],
  ['notifications.resend-delivery', '401 403 403 403 404 404 404 401 403 401', at('/api/notifications/deliveries/ntf_none/resend', {})],
  ['notifications.list-follows', '401 200 200 200 200 200 200 401 403 401', at('/api/notifications/follows')],
  ['notifications.set-follow', '401 404 404 404 404 404 404 401 403 401', at('/api/notifications/follows/none', { categories: ['checks'] })],
  // Not a name: whoever may create one is told so.
  ['databases.create',        '401 403 403 400 400 400 400 401 403 401', at('/api/wf/databases', { name: 'Not A Name' })],
  ['search.find',             '401 200 200 200 200 200 200 401 200 401', at('/api/wf/search?q=none')],
  ['databases.list',          '401 403 403 200 200 200 200 401 403 401', at('/api/wf/databases')],
  ['databases.size',          '401 403 403 200 200 200 200 401 403 401', at('/api/wf/database-sizes?names=none')],
  ['backups.state',           '401 403 403 403 200 200 200 401 403 401', at('/api/wf/backups')],
  ['databases.tables',        '401 403 403 404 404 404 404 401 403 401', at('/api/wf/databases/none/tables')],
  ['databases.connection',    '401 403 403 404 404 404 404 401 403 401', at('/api/wf/databases/none/connection')],
  ['databases.dump',          '401 403 403 403 403 200 200 401 403 401', at('/api/wf/databases/none/dump')],
  ['databases.drop',          '401 403 403 403 404 404 404 401 403 401', at('/api/wf/databases/none?confirm=none')],
  ['data-sources.known-values', '401 404 404 404 404 404 404 401 403 401', at('/api/wf/slim/data-sources/db_none/known-values', { column: 'x' })],
  ['data-sources.query',      '401 404 404 404 404 404 404 401 404 401', at('/api/wf/slim/data-sources/db_none/query', { query: 'x' })],
  ['data-sources.list',       '401 403 403 200 200 200 200 401 403 401', at('/api/wf/data-sources')],
  // Nobody made that database or source: who may gets 404.
  ['data-sources.switch',     '401 403 403 403 404 404 404 401 403 401', at('/api/wf/databases/none/data-source', { enabled: true })],
  ['data-sources.expose',     '401 403 403 403 404 404 404 401 403 401', at('/api/wf/data-sources/db_none/exposure', { exposed: true, min_role: 'viewer' })],
  ['data-sources.get',        '401 403 403 404 404 404 404 401 403 401', at('/api/wf/data-sources/db_none')],
  ['data-sources.check',      '401 403 403 404 404 404 404 401 403 401', at('/api/wf/data-sources/db_none/check', { connection_config: { embedding_configs: [] } })],
  ['data-sources.preview',    '401 403 403 404 404 404 404 401 403 401', at('/api/wf/data-sources/db_none/preview', { connection_config: { embedding_configs: [] }, query: 'x' })],
  ['data-sources.configure',  '401 403 403 404 404 404 404 401 403 401', at('/api/wf/data-sources/db_none', { connection_config: { embedding_configs: [] } })],
  ['data-sources.change-embedding', '401 403 403 404 404 404 404 401 403 401', at('/api/wf/data-sources/db_none/embedding', EMBEDDING)],
  ['data-sources.query-with-embedding', '401 403 403 404 404 404 404 401 403 401', at('/api/wf/data-sources/db_none/embedding/query', { query: 'x', embedding: EMBEDDING })],
  // Nobody made that app: who may gets 404.
  ['apps.create',             '401 403 403 400 400 400 400 401 403 401', at('/api/deploy/deployments', { alias: 'Not An Alias' })],
  ['apps.list',               '401 200 200 200 200 200 200 401 200 401', at('/api/deploy/deployments')],
  ['apps.read',               '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none')],
  ['apps.change',             '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none', {})],
  ['apps.delete',             '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none?confirm=none')],
  ['apps.list-people',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/people')],
  ['apps.set-person',         '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/people/usr_none', { part: 'builder' })],
  ['apps.remove-person',      '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/people/usr_none')],
  ['apps.read-environment',   '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/environment')],
  ['apps.change-environment', '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/environment', {})],
  ['apps.find-missing-files', '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/revisions/missing', { files: [] })],
  ['apps.upload-files',       '401 403 403 415 415 415 415 401 403 401', at('/api/deploy/deployments/none/revisions/files', {})],
  ['apps.create-revision',    '401 403 403 400 400 400 400 401 403 401', at('/api/deploy/deployments/none/revisions', { files: [] })],
  ['apps.deploy',             '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/deploys', { revision_id: 'rev_none' })],
  ['apps.roll-back',          '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/rollback', {})],
  ['apps.list-deploys',       '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/deploys')],
  ['apps.read-deploy',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/deploys/dep_none')],
  ['apps.follow-deploy',      '401 403 403 200 200 200 200 401 403 401', at('/api/deploy/deployments/none/deploys/dep_none/progress')],
  ['apps.search-logs',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/logs')],
  ['apps.count-logs',         '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/logs/counts')],
  ['apps.tail-logs',          '401 403 403 200 200 200 200 401 403 401', at('/api/deploy/deployments/none/logs/tail')],
  ['apps.ingest-logs',        '401 403 403 415 415 415 415 401 403 401', at('/api/deploy/deployments/none/logs', {})],
  ['apps.ingest-otlp',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/otlp/v1/logs', {})],
  ['apps.read-series',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/series')],
  ['apps.count-requests',     '401 200 200 200 200 200 200 401 200 401', at('/api/deploy/request-counts')],
  ['checks.create',           '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks', { name: 'c', definition: { kind: 'http', target: '/' } })],
  ['checks.list',             '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks')],
  ['checks.read',             '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks/none')],
  ['checks.change',           '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks/none', {})],
  ['checks.delete',           '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks/none')],
  ['checks.run',              '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks/none/runs', {})],
  ['checks.read-series',      '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks/none/series')],
  ['checks.list-runs',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks/none/runs')],
  ['checks.read-run',         '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/checks/none/runs/none')],
  ['checks.list-failing',     '401 200 200 200 200 200 200 401 200 401', at('/api/deploy/failing-checks')],
  ['checks.history',          '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/check-history')],
  ['apps.upload-revision',    '401 403 403 415 415 415 415 401 403 401', at('/api/deploy/deployments/none/revisions/archive', {})],
  ['apps.list-revisions',     '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/revisions')],
  ['apps.read-revision',      '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/revisions/rev_none')],
  ['apps.read-file',          '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/revisions/rev_none/file?path=a')],
  ['apps.download-revision',  '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/revisions/rev_none/archive')],
  ['apps.fetch-revision',     '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/workload/revisions/rev_none')],
  ['apps.diff-revisions',     '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/revisions/rev_none/diff')],
  ['maintenance.read-org',    '401 200 200 200 200 200 404 401 200 401', ({ org }) => ({ path: `/api/deploy/orgs/${org}/maintenance-agent` })],
  ['maintenance.change-org',  '401 403 403 403 200 200 404 401 403 401', ({ org }) => ({ path: `/api/deploy/orgs/${org}/maintenance-agent`, body: { enabled: false } })],
  ['maintenance.change-app',  '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/maintenance-agent', { enabled: true })],
  ['maintenance.status',      '401 404 404 404 404 404 404 401 404 401', at('/api/deploy/deployments/none/maintenance-agent')],
  ['maintenance.list-runs',   '401 404 404 404 404 404 404 401 404 401', at('/api/deploy/deployments/none/maintenance-agent/runs')],
  ['maintenance.read-run',    '401 404 404 404 404 404 404 401 404 401', at('/api/deploy/deployments/none/maintenance-agent/runs/exe_none')],
  ['maintenance.start-run',   '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/maintenance-agent/runs', { mode: 'manual' })],
  ['maintenance.list-findings', '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/maintenance-agent/findings')],
  ['maintenance.read-finding', '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/maintenance-agent/findings/00000000')],
  ['maintenance.dismiss-finding', '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/maintenance-agent/findings/00000000/dismiss', { reason: 'a' })],
  ['maintenance.reopen-finding', '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/maintenance-agent/findings/00000000/reopen', {})],
  ['maintenance.list-proposals', '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/proposals')],
  ['maintenance.list-all-proposals', '401 403 403 200 200 200 200 401 403 401', at('/api/deploy/proposals')],
  ['maintenance.read-proposal', '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/proposals/pr_none')],
  ['maintenance.approve-proposal', '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/proposals/pr_none/approve', { revision_id: 'rev_none' })],
  ['maintenance.deny-proposal', '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/proposals/pr_none/deny', {})],
  ['maintenance.retry-proposal', '401 403 403 403 404 404 404 401 403 401', at('/api/deploy/deployments/none/proposals/pr_none/retry', {})],
  ['maintenance.tool-log-templates', '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/log-templates', {})],
  ['maintenance.tool-list-files',    '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/files', {})],
  ['maintenance.tool-check-states',  '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/checks', {})],
  ['maintenance.tool-read-file',     '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/read-file', { path: 'a' })],
  ['maintenance.tool-search-source', '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/search-source', { literal: 'ab' })],
  ['maintenance.tool-search-logs',   '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/search-logs', { literal: 'ab' })],
  ['maintenance.tool-check-history', '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/check-history', { name: 'a' })],
  ['maintenance.tool-recent-findings', '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/findings', {})],
  ['maintenance.tool-signals',       '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/signals', {})],
  ['maintenance.tool-stage-edit',    '401 403 403 403 403 403 403 401 403 401', at('/api/deploy/maintenance-agent/tools/stage-edit', { path: 'a', old: 'a', new: 'b' })],
  ['tickets.file',            '401 404 404 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/tickets', { title: 't', body: 'b' })],
  ['tickets.list',            '401 404 404 404 404 404 404 401 404 401', at('/api/deploy/deployments/none/tickets')],
  ['tickets.read',            '401 404 404 404 404 404 404 401 404 401', at('/api/deploy/deployments/none/tickets/tkt_none')],
  ['tickets.move',            '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/tickets/tkt_none/status', { status: 'done' })],
  ['tickets.reply',           '401 404 404 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/tickets/tkt_none/replies', { body: 'b' })],
  ['tickets.list-replies',    '401 404 404 404 404 404 404 401 404 401', at('/api/deploy/deployments/none/tickets/tkt_none/replies')],
  ['functions.list',          '401 200 200 200 200 200 200 401 200 401', at('/api/deploy/functions')],
  ['functions.call',          '401 403 404 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/functions/greet/calls', {})],
  ['workers.connect',         '401 403 403 200 200 200 200 401 403 401', at('/api/deploy/deployments/none/workers', { sdk_version: '0.0.18' })],
  ['workers.report-results',  '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/workers/wrk_00000000000000000000000000/results', { results: [{ call_id: 'call_00000000000000000000000000', fence: 1 }] })],
  ['workers.heartbeat',       '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/workers/wrk_00000000000000000000000000/heartbeat', {})],
  ['workers.report-logs',     '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/workers/wrk_00000000000000000000000000/logs', { call_id: 'call_00000000000000000000000000', fence: 1, lines: [{ at: '2026-01-01T00:00:00Z', level: 'info', text: 'x' }] })],
  ['pipelines.list',          '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines')],
  ['pipelines.read',          '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p')],
  ['pipelines.change',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p', { enabled: true })],
  ['pipelines.delete',        '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p')],
  ['pipelines.run',           '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p/runs', {})],
  ['pipelines.read-series',   '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p/series')],
  ['pipelines.list-runs',     '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p/runs')],
  ['pipelines.read-run',      '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p/runs/plr_none')],
  ['pipelines.read-run-log',  '401 403 403 404 404 404 404 401 403 401', at('/api/deploy/deployments/none/pipelines/p/runs/plr_none/logs')],
  ['mcp.platform',            '401 200 200 200 200 200 200 401 200 401', at('/mcp/platform', { jsonrpc: '2.0', id: 1, method: 'tools/list' })],
  ['mcp.notifications',       '401 200 200 200 200 200 200 401 200 401', at('/mcp/notifications', { jsonrpc: '2.0', id: 1, method: 'tools/list' })],
  ['mcp.platform-metadata',   '200 200 200 200 200 200 200 200 200 200', at('/.well-known/oauth-protected-resource')],
  ['mcp.endpoint-metadata',   '200 200 200 200 200 200 200 200 200 200', at('/.well-known/oauth-protected-resource/mcp/notifications')],
  ['sign-in.page',            '200 200 200 200 200 200 200 200 200 200', at('/auth/login?signed_out=1')],
  ['sign-in.methods',         '200 200 200 200 200 200 200 200 200 200', at('/api/v1/sign-in-methods')],
  ['sign-in.start',           '404 404 404 404 404 404 404 404 404 404', at('/auth/google/start')],
  ['sign-in.callback',        '404 404 404 404 404 404 404 404 404 404', at('/auth/google/callback')],
  ['sign-in.hosted-callback', '404 404 404 404 404 404 404 404 404 404', at('/auth/hosted/callback')],
  ['sign-in.sign-out',        '403 401 401 401 401 401 401 401 401 401', at('/auth/logout')],
  ['sign-in.local-page',      '400 400 400 400 400 400 400 400 400 400', at('/auth/local?open_to_all=1')],
  ['sign-in.local',           '415 415 415 415 415 415 415 415 415 415', at('/auth/local', {})],
  ['sign-in.mailed-link-form', '200 200 200 200 200 200 200 200 200 200', at('/auth/mailed-link')],
  ['sign-in.ask-mailed-link', '415 415 415 415 415 415 415 415 415 415', at('/auth/mailed-link', {})],
  ['sign-in.mailed-link-page', '403 403 403 403 403 403 403 403 403 403', at('/auth/mailed-link/none')],
  ['sign-in.by-mailed-link',  '415 415 415 415 415 415 415 415 415 415', at('/auth/mailed-link/none', {})],
  ['sign-in.switch-org',      '401 403 403 403 403 403 403 401 403 401', at('/auth/org', { org_id: 'org_x' })],
  ['sign-in.token',           '401 403 403 403 403 403 403 401 403 401', at('/api/v1/sessions/token', {})],
  ['sessions.list',           '401 403 403 403 403 403 403 401 403 401', at('/api/v1/sessions')],
  ['sessions.end',            '401 403 403 403 403 403 403 401 403 401', at('/api/v1/sessions/ses_none')],
  ['sign-in.exchange',        '401 401 401 401 401 401 401 401 401 401', at('/api/v1/tokens/exchange', { code: 'x', state: 'x' })],
]

async function newMember({ system, org }: Fixture) {
  const email = `${unique()}@example.com`
  const createdToken = await system.operator.call(adminCreateToken, {
    org_id: org,
    email,
    role: 'member',
    name: 'target',
  })
  return { userId: createdToken.user_id, tokenId: createdToken.id }
}

async function newSupport({ system, org }: Fixture): Promise<string> {
  const input = { org_id: org, staff_email: 's@example.com', reason: 'table' }
  return (await system.operator.call(startSupport, input)).id
}

async function newInvitation({ system, org, owner }: Fixture): Promise<string> {
  const input = { org_id: org, email: `${unique()}@example.com`, role: 'viewer' } as const
  return (await system.client(owner).call(createInvitation, input)).id
}

describe('who may do what', () => {
  let fixture: Fixture
  const tokens = {} as Record<Caller, string | undefined>

  beforeAll(async () => {
    const system = await startSystem({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
    const owner = await system.member('owner')
    const org = owner.org_id
    fixture = { system, org, owner: owner.token }
    const token = async (role: 'viewer' | 'member' | 'developer' | 'admin') => (await system.member(role, org)).token
    Object.assign(tokens, {
      none: undefined,
      viewer: await token('viewer'),
      member: await token('member'),
      developer: await token('developer'),
      admin: await token('admin'),
      owner: owner.token,
      other: (await system.member('owner')).token,
      revoked: await revokedToken(system, owner.token),
      support: (
        await system.operator.call(startSupport, { org_id: org, staff_email: 's@example.com', reason: 'table' })
      ).token,
      operator: system.config.secrets.operatorToken,
    })
  })
  afterAll(() => fixture?.system[Symbol.asyncDispose]())

  async function revokedToken(system: System, owner: string): Promise<string> {
    const createdToken = await system.client(owner).call(createToken, { name: 'to be revoked' })
    await system.client(owner).call(revokeToken, { id: createdToken.id })
    return createdToken.token
  }

  it('AU-07 every operation has its row, and every row its operation', () => {
    expect(TABLE.map(([name]) => name).sort()).toEqual(OPERATIONS.map(({ name }) => name).sort())
  })

  it.each(TABLE)('AU-07 %s: %s', async (name, expected, request) => {
    const op = OPERATIONS.find((candidate) => candidate.name === name)!
    const statuses: number[] = []
    for (const caller of CALLERS) {
      const { path, body } = await request(fixture)
      const headers: Record<string, string> = { accept: 'application/json, text/event-stream' }
      if (tokens[caller]) headers.authorization = `Bearer ${tokens[caller]}`
      if (body) headers['content-type'] = 'application/json'
      // Each row comes through a proxy from an address of its own, because refusals are counted by address.
      headers['x-forwarded-for'] = `203.0.113.${TABLE.findIndex(([row]) => row === name)}`
      const init = { method: op.method, headers, ...(body && { body: JSON.stringify(body) }) }
      const response = await fetch(`${fixture.system.url}${path}`, { ...init, redirect: 'manual' })
      await response.body?.cancel()
      statuses.push(response.status)
    }
    expect(statuses.join(' ')).toBe(expected)
  })
})
