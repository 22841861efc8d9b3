import { OrganizationPage } from '../organization/organization-page.tsx'
import { Channels } from './channels.tsx'
import { Subscriptions } from './subscriptions.tsx'

/** Where notifications of the organization can go, and which events go there. */
export function IntegrationsPage() {
  return (
    <OrganizationPage>
      <Channels />
      <Subscriptions />
    </OrganizationPage>
  )
}
