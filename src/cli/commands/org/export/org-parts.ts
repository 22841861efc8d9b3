import { listActivity } from '#contract/activity.ts'
import { listOrgAgents } from '#contract/auth/agents.ts'
import { listCompanyClients, readCompanySignOn } from '#contract/auth/company-sign-on.ts'
import { listAudit, listInvitations, listMembers, readOrg } from '#contract/auth/members.ts'
import { listSupport } from '#contract/auth/support.ts'
import { listOrgTokens } from '#contract/auth/tokens.ts'
import { listDatabases } from '#contract/databases.ts'
import { readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { listChannels } from '#contract/notifications/channels.ts'
import { readChat } from '#contract/notifications/chat.ts'
import { listDeliveries, readDelivery } from '#contract/notifications/deliveries.ts'
import { readNotificationSettings } from '#contract/notifications/settings.ts'
import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { details, document, type Part, records, writeItems } from './part.ts'

/** Both lists that the operation has. Each line says which one it is from. */
const activity: Part = {
  file: 'activity.ndjson',
  reads: [listActivity],
  write: async (reader, _, sink) => {
    for (const type of ['functions', 'data_sources']) {
      await writeItems(reader, listActivity, { type }, sink, { type })
    }
  },
}

/** The files of an organization that are always there. */
export const ORG_PARTS: readonly Part[] = [
  document('organization.json', readOrg),
  records('people.ndjson', listMembers),
  records('invitations.ndjson', listInvitations),
  records('tokens.ndjson', listOrgTokens),
  records('agents.ndjson', listOrgAgents),
  document('company-sign-on.json', readCompanySignOn),
  document('company-clients.json', listCompanyClients),
  records('support-sessions.ndjson', listSupport),
  records('audit.ndjson', listAudit),
  activity,
  document('notifications/channels.json', listChannels),
  document('notifications/chat.json', readChat),
  document('notifications/subscriptions.json', listSubscriptions),
  document('notifications/settings.json', readNotificationSettings),
  details('notifications/deliveries.ndjson', listDeliveries, readDelivery, ({ id }) => ({ id })),
  document('maintenance.json', readOrgMaintenance),
  records('databases.ndjson', listDatabases),
]
