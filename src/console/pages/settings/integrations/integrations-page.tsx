import { Page } from '#console/parts/page.tsx'
import { OrganizationTabs } from '../organization/tabs.tsx'
import { Channels } from './channels.tsx'
import { Subscriptions } from './subscriptions.tsx'

/** Where notifications of the organization can go, and which events go there. */
export function IntegrationsPage() {
  return (
    <Page title="Organization settings">
      <OrganizationTabs />
      <Channels />
      <Subscriptions />
    </Page>
  )
}
