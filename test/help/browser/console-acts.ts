import type { Answers } from './fixed-console.ts'

/** A way to change something in the console. Names of buttons and labels may be followed by more words on the page. */
export type ConsoleAct = {
  readonly operation: string
  readonly at: string
  /** Buttons that are pressed first, in order. */
  readonly open?: readonly string[]
  readonly choose?: Readonly<Record<string, string>>
  readonly fill?: Readonly<Record<string, string>>
  readonly tick?: string
  /** The button that sends it; of several the last. */
  readonly press: string
  /** Parts of the answers that the page needs to offer the act. */
  readonly answers?: Answers
}

const APP = '/apps/thing'
const ORGANIZATION = '/settings/organization'
const channel = (kind: string, more: object = {}): Answers => ({
  'notifications.list-channels': { items: [{ kind, state: 'active', ...more }] },
})
const FAILED = { state: 'failed', status: 'not_sent', reason: 'refused', delivery_id: 'del_1' }
const SOURCE = { source_id: 'db_thing', connection_config: { embedding_configs: [{ label: 'articles' }] } }
const LIVING_AGENT = { items: [{ ended_by: null, vouched_by: null }] }
const LIVING = { 'agents.list': LIVING_AGENT, 'agents.list-org': LIVING_AGENT }
const PERSON = { items: [{ user_id: 'usr_2', email: 'ben@example.com' }] }

/** Every operation that the pages of the console change something with, and every form or button that sends it. */
export const CONSOLE_ACTS: readonly ConsoleAct[] = [
  {
    operation: 'auth.create-org',
    at: '/',
    fill: { 'Name of the organization': 'Engines' },
    press: 'Create organization',
    answers: { 'auth.me': { org: null, role: null } },
  },
  { operation: 'sign-in.sign-out', at: '/inbox', press: 'Sign out' },
  {
    operation: 'notifications.ack',
    at: '/inbox',
    press: 'Mark as read',
    answers: { 'notifications.list': { items: [{ read_at: null }] } },
  },
  {
    operation: 'notifications.ack-all',
    at: '/inbox',
    press: 'Mark all as read',
    answers: { 'notifications.count-unread': { unread: 2 } },
  },

  {
    operation: 'databases.create',
    at: '/databases',
    open: ['Create database'],
    fill: { Name: 'docs' },
    press: 'Create database',
  },
  {
    operation: 'databases.drop',
    at: '/databases',
    open: ['Drop'],
    fill: { 'Type thing to confirm': 'thing' },
    press: 'Drop database',
  },
  { operation: 'functions.call', at: '/functions', open: ['Call'], press: 'Call function' },

  {
    operation: 'data-sources.switch',
    at: '/mcp/sources',
    open: ['Enable database as source'],
    press: 'Enable source',
    answers: { 'databases.list': { items: [{ state: 'ready', data_source: null }] } },
  },
  {
    operation: 'data-sources.switch',
    at: '/mcp/sources/db_thing/exposure',
    press: 'Switch source on',
    answers: { 'data-sources.list': { items: [{ ...SOURCE, enabled: false }] } },
  },
  {
    operation: 'data-sources.switch',
    at: '/mcp/sources/db_thing/exposure',
    open: ['Switch source off'],
    press: 'Switch source off',
    answers: { 'data-sources.list': { items: [SOURCE] } },
  },
  {
    operation: 'data-sources.expose',
    at: '/mcp/sources/db_thing/exposure',
    press: 'Expose source',
    answers: { 'data-sources.list': { items: [{ ...SOURCE, exposed: false, min_role: null }] } },
  },
  {
    operation: 'data-sources.expose',
    at: '/mcp/sources/db_thing/exposure',
    press: 'Stop exposing',
    answers: { 'data-sources.list': { items: [SOURCE] } },
  },
  {
    operation: 'data-sources.query',
    at: '/mcp/sources/db_thing',
    fill: { Question: 'What?' },
    press: 'Ask source',
    answers: { 'data-sources.list': { items: [SOURCE] } },
  },
  {
    operation: 'data-sources.known-values',
    at: '/mcp/sources/db_thing',
    press: 'Show values',
    answers: { 'data-sources.list': { items: [{ ...SOURCE, filter_schema: { category: 'string' } }] } },
  },
  {
    operation: 'data-sources.switch',
    at: '/databases/thing/prepare/thing',
    press: 'Enable source',
    answers: { 'data-sources.list': { items: [] } },
  },
  {
    operation: 'data-sources.preview',
    at: '/databases/thing/prepare/thing',
    fill: { Question: 'What?' },
    press: 'Preview answer',
    answers: { 'data-sources.list': { items: [SOURCE] }, 'data-sources.check': { faults: [] } },
  },
  {
    operation: 'agents.disconnect',
    at: '/mcp/agents',
    open: ['Disconnect everywhere'],
    press: 'Disconnect agent',
    answers: LIVING,
  },
  {
    operation: 'agents.end-connection',
    at: '/mcp/agents',
    open: ['End connection'],
    press: 'End connection',
    answers: LIVING,
  },
  { operation: 'agents.revoke', at: '/mcp/agents', open: ['Revoke'], press: 'Revoke agent', answers: LIVING },
  {
    operation: 'agents.allow',
    at: '/mcp/agents',
    open: ['Allow again'],
    press: 'Allow agent',
    answers: { ...LIVING, 'agents.list': { items: [{ ended_by: 'person' }] } },
  },
  {
    operation: 'agents.allow-member',
    at: '/mcp/agents',
    open: ['Allow again'],
    press: 'Allow agent',
    answers: { ...LIVING, 'agents.list-org': { items: [{ ended_by: 'admin' }] } },
  },

  {
    operation: 'apps.create',
    at: '/apps',
    open: ['Create app'],
    fill: { Alias: 'shop' },
    press: 'Create app',
  },
  { operation: 'apps.change', at: `${APP}/settings`, press: 'Save settings' },
  {
    operation: 'apps.change-environment',
    at: `${APP}/settings`,
    open: ['Set variable'],
    fill: { Name: 'KEY', Value: 'x' },
    press: 'Set variable',
  },
  { operation: 'apps.change-environment', at: `${APP}/settings`, open: ['Remove'], press: 'Remove variable' },
  {
    operation: 'apps.delete',
    at: `${APP}/settings`,
    open: ['Delete app'],
    fill: { 'Type thing to confirm': 'thing' },
    press: 'Delete app',
  },
  {
    operation: 'apps.set-person',
    at: `${APP}/people`,
    open: ['Add person'],
    choose: { Person: 'usr_2' },
    press: 'Add person',
    answers: { 'members.list': PERSON },
  },
  { operation: 'apps.remove-person', at: `${APP}/people`, open: ['Remove'], press: 'Remove person' },
  {
    operation: 'apps.roll-back',
    at: `${APP}/deploys`,
    open: ['Roll back'],
    press: 'Roll back app',
    answers: { 'apps.list-deploys': { items: [{ state: 'retired', revision_id: 'rev_former' }] } },
  },

  {
    operation: 'checks.create',
    at: `${APP}/checks`,
    open: ['Create check'],
    fill: { Name: 'Front page' },
    press: 'Create check',
  },
  { operation: 'checks.run', at: `${APP}/checks/thing`, press: 'Run check' },
  { operation: 'checks.change', at: `${APP}/checks/thing`, press: 'Pause check' },
  {
    operation: 'checks.delete',
    at: `${APP}/checks/thing`,
    open: ['Delete check'],
    fill: { 'Type thing to confirm': 'thing' },
    press: 'Delete check',
  },
  {
    operation: 'tickets.file',
    at: `${APP}/tickets`,
    open: ['File ticket'],
    fill: { Title: 'Broken', 'What happened': 'It broke.' },
    press: 'File ticket',
  },
  { operation: 'tickets.reply', at: `${APP}/tickets/thing`, fill: { Reply: 'Mended.' }, press: 'Send reply' },
  { operation: 'pipelines.run', at: `${APP}/pipelines/thing`, press: 'Run pipeline' },
  {
    operation: 'pipelines.change',
    at: `${APP}/pipelines/thing`,
    open: ['Disable pipeline'],
    press: 'Disable pipeline',
  },
  {
    operation: 'pipelines.change',
    at: `${APP}/pipelines/thing`,
    press: 'Enable pipeline',
    answers: { 'pipelines.list': { items: [{ enabled: false }] } },
  },
  {
    operation: 'pipelines.delete',
    at: `${APP}/pipelines/thing`,
    open: ['Delete pipeline'],
    fill: { 'Type thing to confirm': 'thing' },
    press: 'Delete pipeline',
    answers: { 'pipelines.list': { items: [{ is_served: false }] } },
  },
  { operation: 'maintenance.start-run', at: `${APP}/maintenance`, press: 'Run maintenance' },
  {
    operation: 'maintenance.change-app',
    at: `${APP}/maintenance`,
    open: ['Switch agent off'],
    press: 'Switch agent off',
  },
  {
    operation: 'maintenance.dismiss-finding',
    at: `${APP}/maintenance`,
    open: ['Dismiss finding'],
    fill: { 'Why it is no fault': 'It is known' },
    press: 'Dismiss finding',
  },
  {
    operation: 'maintenance.reopen-finding',
    at: `${APP}/maintenance`,
    press: 'Report again',
    answers: { 'maintenance.list-findings': { items: [{ state: 'dismissed' }] } },
  },
  {
    operation: 'maintenance.approve-proposal',
    at: `${APP}/changes/thing`,
    open: ['Approve and deploy'],
    press: 'Approve and deploy',
  },
  {
    operation: 'maintenance.deny-proposal',
    at: `${APP}/changes/thing`,
    open: ['Deny change'],
    press: 'Deny change',
  },
  { operation: 'maintenance.retry-proposal', at: `${APP}/changes/thing`, press: 'Check change again' },

  { operation: 'maintenance.change-org', at: `${ORGANIZATION}/maintenance`, press: 'Save settings' },
  {
    operation: 'maintenance.change-org',
    at: `${ORGANIZATION}/maintenance`,
    open: ['Switch off'],
    press: 'Switch off',
  },
  {
    operation: 'auth.rename-org',
    at: ORGANIZATION,
    fill: { 'Name of the organization': 'Other Engines' },
    press: 'Rename organization',
  },
  {
    operation: 'deletions.delete-org',
    at: ORGANIZATION,
    open: ['Delete organization'],
    fill: { 'Type thing to confirm': 'thing' },
    press: 'Delete organization',
    answers: { 'deletions.read-org': { deletion: null } },
  },
  { operation: 'deletions.undo-org', at: ORGANIZATION, press: 'Undo deletion' },
  {
    operation: 'domains.set',
    at: `${ORGANIZATION}/domains`,
    fill: { Domain: 'example.org' },
    press: 'Add domain',
  },
  { operation: 'domains.set', at: `${ORGANIZATION}/domains`, open: ['Remove'], press: 'Remove domain' },
  {
    operation: 'invitations.create',
    at: `${ORGANIZATION}/members`,
    open: ['Invite person'],
    fill: { Email: 'ben@example.com' },
    press: 'Invite person',
  },
  { operation: 'invitations.resend', at: `${ORGANIZATION}/members`, press: 'Mail again' },
  { operation: 'invitations.revoke', at: `${ORGANIZATION}/members`, press: 'Revoke' },
  { operation: 'members.remove', at: `${ORGANIZATION}/members`, open: ['Remove'], press: 'Remove member' },
  {
    operation: 'notifications.resend-delivery',
    at: `${ORGANIZATION}/deliveries`,
    open: ['thing'],
    press: 'Send again',
    answers: { 'notifications.read-delivery': FAILED },
  },
  {
    operation: 'notifications.resend-delivery',
    at: `${ORGANIZATION}/deliveries`,
    open: ['thing'],
    tick: 'Send again although it may arrive twice',
    press: 'Send again',
    answers: { 'notifications.read-delivery': { ...FAILED, reason: 'outcome_unknown' } },
  },

  {
    operation: 'integrations.add-email',
    at: `${ORGANIZATION}/integrations`,
    open: ['Add channel'],
    fill: { Address: 'ben@example.com' },
    press: 'Add address',
  },
  {
    operation: 'integrations.create-webhook',
    at: `${ORGANIZATION}/integrations`,
    open: ['Add channel'],
    choose: { Kind: 'webhook' },
    fill: { URL: 'https://example.com/hook' },
    press: 'Add webhook',
  },
  {
    operation: 'integrations.connect-chat',
    at: `${ORGANIZATION}/integrations`,
    open: ['Add channel'],
    choose: { Kind: 'chat' },
    fill: { 'Incoming webhook': 'https://example.com/hook' },
    press: 'Connect chat channel',
  },
  {
    operation: 'integrations.start-chat-installation',
    at: `${ORGANIZATION}/integrations`,
    open: ['Add channel'],
    choose: { Kind: 'chat' },
    press: 'Install in workspace',
  },
  ...['integrations.connect-forum', 'integrations.configure-forum'].map((operation) => ({
    operation,
    at: `${ORGANIZATION}/integrations`,
    open: ['Add channel'],
    choose: { Kind: 'forum' },
    fill: { 'Address of the forum': 'https://forum.example.com', Category: '4', 'Admin API key': 'secret' },
    press: 'Connect forum',
    ...(operation === 'integrations.configure-forum' && { answers: { 'integrations.connect-forum': {} } }),
  })),
  {
    operation: 'notifications.test-channel',
    at: `${ORGANIZATION}/integrations`,
    press: 'Send test',
    answers: channel('email'),
  },
  {
    operation: 'integrations.rotate-webhook-secret',
    at: `${ORGANIZATION}/integrations`,
    open: ['Signing secret of thing'],
    press: 'Generate secret',
    answers: channel('webhook', { standard_webhooks: null }),
  },
  ...['rotate', 'delete'].map((act) => ({
    operation: `integrations.${act}-webhook-secret`,
    at: `${ORGANIZATION}/integrations`,
    open: ['Signing secret of thing'],
    press: act === 'rotate' ? 'Replace secret' : 'Delete secret',
    answers: channel('webhook'),
  })),
  ...['email', 'webhook'].map((kind) => ({
    operation: `integrations.delete-${kind}`,
    at: `${ORGANIZATION}/integrations`,
    open: ['Delete thing'],
    press: 'Delete channel',
    answers: channel(kind),
  })),
  ...['chat', 'forum'].map((kind) => ({
    operation: `integrations.disconnect-${kind}`,
    at: `${ORGANIZATION}/integrations`,
    open: ['Delete thing'],
    press: 'Delete channel',
    answers: channel(kind),
  })),
  {
    operation: 'notifications.create-subscription',
    at: `${ORGANIZATION}/integrations`,
    open: ['Add subscription'],
    fill: { 'Event type': 'deploy.failed' },
    press: 'Add subscription',
  },
  {
    operation: 'notifications.delete-subscription',
    at: `${ORGANIZATION}/integrations`,
    press: 'Delete the subscription',
  },

  {
    operation: 'notifications.set-follow',
    at: '/settings/profile',
    open: ['Follow app'],
    press: 'Save choice',
  },
  { operation: 'notifications.start-chat-link', at: '/settings/profile', press: 'Link chat account' },
  {
    operation: 'notifications.delete-chat-link',
    at: '/settings/profile',
    press: 'Unlink chat account',
    answers: { 'notifications.read-chat-link': { state: 'linked' } },
  },
  {
    operation: 'sessions.end',
    at: '/settings/profile/sessions',
    open: ['End session'],
    press: 'End session',
    answers: { 'sessions.list': { items: [{ is_current: false }] } },
  },
  {
    operation: 'tokens.create',
    at: '/settings/tokens',
    open: ['Create API token'],
    fill: { Name: 'laptop' },
    press: 'Create API token',
  },
  { operation: 'tokens.revoke', at: '/settings/tokens', open: ['Revoke'], press: 'Revoke API token' },
]
