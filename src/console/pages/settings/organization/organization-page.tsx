import type { ReactNode } from 'react'
import { Page } from '#console/parts/page/page.tsx'
import { Tabs } from '#console/parts/page/tabs.tsx'
import { useSession } from '#console/session/session.ts'
import { type Role, roleAtLeast } from '#contract/core/roles.ts'

const TABS: readonly { label: string; to: string; role: Role }[] = [
  { label: 'General', to: '/settings/organization', role: 'viewer' },
  { label: 'Members', to: '/settings/organization/members', role: 'admin' },
  { label: 'Domains', to: '/settings/organization/domains', role: 'viewer' },
  { label: 'Integrations', to: '/settings/organization/integrations', role: 'admin' },
  { label: 'Deliveries', to: '/settings/organization/deliveries', role: 'admin' },
  { label: 'Maintenance', to: '/settings/organization/maintenance', role: 'viewer' },
  { label: 'Audit', to: '/settings/organization/audit', role: 'admin' },
]

/** A part of the organization settings, with the ways to the others that the person's role reaches. */
export function OrganizationPage({ section, children }: { section?: string; children: ReactNode }) {
  const { me } = useSession()
  return (
    <Page title="Organization settings" {...(section !== undefined && { section })}>
      <Tabs label="Organization settings" items={TABS.filter(({ role }) => roleAtLeast(me.role, role))} />
      {children}
    </Page>
  )
}
