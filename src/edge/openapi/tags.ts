/** Title and description of each group of operations. The group is the first part of an operation's name. */
const TAGS: Readonly<Record<string, readonly [title: string, description: string]>> = {
  auth: ['Organizations and callers', 'Create organizations, and find out who a token belongs to.'],
  deletions: ['Deletion', 'Delete an organization or a person after a week in which it can be undone.'],
  domains: ['Email domains', 'Let everybody with a verified email address of a domain join an organization.'],
  audit: ['Audit log', 'Read who changed what.'],
  support: ['Support access', 'Give staff of the vendor access for an hour, where owners can see it.'],
  members: ['Members', 'List the people of an organization, change their roles and remove them.'],
  tokens: ['API tokens', 'Create and revoke tokens that act for you.'],
  invitations: ['Invitations', 'Invite people by email and accept invitations.'],
  agents: ['Connected agents', 'List the agents that people approved, and disconnect them.'],
  'company-sign-on': [
    'Sign-on by a company',
    'Let an identity provider connect agents for the people of an organization.',
  ],
  oauth: ['OAuth for agents', 'The authorization server that agents get their tokens from (OAuth 2.1).'],
  'data-sources': ['Data sources', 'Configure databases as data sources, and ask them questions by vector search.'],
  search: ['Search', 'Find apps, data sources, databases, people, tickets, changes and deploys by name or id.'],
  databases: ['Managed databases', 'Create Postgres databases with pgvector, connect to them and drop them.'],
  backups: ['Backups', 'See whether the backups of the installation succeed.'],
  activity: ['Activity', 'Read which functions were called and which data sources were asked, and set limits.'],
  ai: ['AI gateway', 'Call embedding and chat models with the protocol of OpenAI, metered per organization.'],
  notifications: ['Notifications', 'Read your notifications, follow apps, and choose what is sent where.'],
  integrations: ['Webhooks and chat', 'Send events to webhooks and chat channels.'],
  apps: ['Apps', 'Create, deploy, watch and roll back apps.'],
  tickets: ['Tickets', 'File tickets on apps and move them through their states.'],
  maintenance: ['Maintenance', 'Let an agent repair apps by proposals that people decide about.'],
  functions: ['Functions', 'List and call functions of apps.'],
  workers: ['Workers', 'Connect a worker of an app. The worker SDK calls these operations.'],
  checks: ['Checks', 'Check apps on a schedule and read the verdicts.'],
  pipelines: ['Pipelines', 'Run work of an app on a schedule and read its runs.'],
  'sign-in': ['Sign-in', 'Sign people in through identity providers or a hosted auth service.'],
  sessions: ['Sessions', 'List where you are signed in, and end sessions.'],
  mcp: ['MCP endpoints', 'Endpoints of the Model Context Protocol for agents.'],
  console: ['Console', 'The web console and its files.'],
  skills: ['Agent skills', 'Download the skills that teach agents to work with this version.'],
  client: ['Client', 'Describe this instance, and download the command-line client of its version.'],
  guides: ['Guides', 'Read how to use and run this version.'],
  system: ['System', 'Health, readiness, metrics and this description.'],
}

export type Tag = { name: string; 'x-displayName': string; description: string }

/** Describes a group. One that has no entry, as in tests, is described by its name. */
export function describeTag(name: string): Tag {
  const [title, description] = TAGS[name] ?? [name, `Operations of ${name}.`]
  return { name, 'x-displayName': title, description }
}

export const DESCRIBED_TAGS: readonly string[] = Object.keys(TAGS)
