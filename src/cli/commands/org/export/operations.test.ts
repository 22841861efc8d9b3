import { expect, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { APP_PARTS } from './app-parts.ts'
import { LISTED_READS } from './listed-parts.ts'
import { ORG_PARTS } from './org-parts.ts'

/** Reads of people that an export does without, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'auth.me': 'the command itself asks who is logged in',
  'auth.list-orgs': 'other organizations of the caller',
  'members.names': 'in people.ndjson',
  'tokens.list': 'in tokens.ndjson',
  'support.open': 'in support-sessions.ndjson',
  'agents.list': 'in agents.ndjson',
  'data-sources.slim-list': 'in data-sources/',
  'data-sources.known-values': 'counts as a question; the data is in databases/',
  'data-sources.query': 'asks a question; the data is in databases/',
  'data-sources.query-with-embedding': 'asks a question; the data is in databases/',
  'data-sources.check': 'compares a document that is sent',
  'data-sources.preview': 'asks a question; the data is in databases/',
  'databases.tables': 'the tables are in databases/',
  'search.find': 'finds what other files hold',
  'databases.size': 'bytes on the disk of the installation',
  'backups.state': 'of the installation',
  'deletions.read-org': 'ends with the organization',
  'databases.connection': 'contains a password',
  'activity.statistics': 'counted from activity.ndjson',
  'ai.models': 'of the installation',
  'ai.agent-pool': 'sums of tokens and prices; each run is in maintenance-runs.ndjson',
  'notifications.list': 'the inbox of one person',
  'notifications.follow': 'the inbox of one person',
  'notifications.count-unread': 'the inbox of one person',
  'notifications.list-follows': 'settings of one person',
  'notifications.read-chat-link': 'settings of one person',
  'notifications.mailbox': 'mails of an installation without a mail server',
  'notifications.delivery-statistics': 'counted from notifications/deliveries.ndjson',
  'integrations.chat-callback': 'a step of connecting a chat workspace',
  'sessions.list': 'sessions of one person in browsers',
  'apps.find-missing-files': 'a step of an upload',
  'apps.read-file': 'in revisions/<id>.tar',
  'apps.diff-revisions': 'made of two revisions',
  'apps.read-deploy': 'in deploys.ndjson',
  'apps.follow-deploy': 'in deploys.ndjson and logs.ndjson',
  'apps.count-logs': 'counted from logs.ndjson',
  'apps.tail-logs': 'in logs.ndjson',
  'apps.read-series': 'counts of the last 14 days, for charts',
  'apps.count-requests': 'counts of the last day, for charts',
  'maintenance.read-run': 'in maintenance-runs.ndjson',
  'maintenance.read-finding': 'in findings.json',
  'maintenance.list-all-proposals': 'in proposals.ndjson of each app',
  'maintenance.read-proposal': 'in proposals.ndjson; its difference is made of two revisions',
  'checks.read': 'in checks.ndjson',
  'checks.read-run': 'in check-runs.ndjson',
  'checks.list-failing': 'in checks.ndjson of each app',
  'checks.history': 'counted from check-runs.ndjson',
  'checks.read-series': 'counted from check-runs.ndjson',
  'pipelines.read': 'in pipelines.ndjson',
  'pipelines.read-run': 'in pipeline-runs.ndjson',
  'pipelines.read-series': 'counted from pipeline-runs.ndjson',
  'mcp.platform': 'the same operations for agents',
  'mcp.notifications': 'the same operations for agents',
}

const PEOPLE = ['user', 'api_token']

it('OP-08 every read of a person is exported, or left out for a reason', () => {
  const exported = new Set([...ORG_PARTS, ...APP_PARTS].flatMap(({ reads }) => reads).map(({ name }) => name))
  for (const { name } of LISTED_READS) exported.add(name)
  const reads = OPERATIONS.filter(
    ({ effect, access }) =>
      effect === 'read' && typeof access === 'object' && access.principals.some((kind) => PEOPLE.includes(kind)),
  )
  const others = reads.map(({ name }) => name).filter((name) => !exported.has(name))
  expect(others.toSorted()).toEqual(Object.keys(LEFT_OUT).toSorted())
})

it('OP-08 no name of a file is used twice, and each fits the header of a tar archive', () => {
  const longest = `apps/${'a'.repeat(40)}/`
  const names = [...ORG_PARTS.map(({ file }) => file), ...APP_PARTS.map(({ file }) => `${longest}${file}`)]
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => name.length > 100)).toEqual([])
})
