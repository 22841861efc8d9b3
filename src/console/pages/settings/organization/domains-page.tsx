import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Page } from '#console/parts/page.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { readOrg } from '#contract/auth/members.ts'
import { AddDomain } from './add-domain.tsx'
import { RemoveDomain } from './remove-domain.tsx'
import { OrganizationTabs } from './tabs.tsx'

/** Email domains whose people join the organization by themselves. Owners change them. */
export function DomainsPage() {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const org = useCall(readOrg, { org_id: me.org.id })
  const [removed, setRemoved] = useState<string>()
  const columns: readonly Column<string>[] = [
    { head: 'Domain', cell: (domain) => <code>{domain}</code> },
    ...(isOwner
      ? [
          {
            head: 'Acts',
            cell: (domain: string) => (
              <button type="button" className="button small" onClick={() => setRemoved(domain)}>
                Remove<span className="visually-hidden"> {domain}</span>
              </button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Page title="Organization settings" section="Domains">
      <OrganizationTabs />
      <p className="soft">
        Whoever signs in for the first time with a verified address of one of these domains joins {me.org.name} as a
        member, without an invitation.
      </p>
      <Loaded of={org}>
        {({ domains }) => (
          <div className="stack">
            {domains.length === 0 ? (
              <Empty title="No domains">
                <p>
                  People join by invitation only.{' '}
                  {isOwner
                    ? 'Add the domain of your own address below.'
                    : 'An owner can add the domain of their address.'}
                </p>
              </Empty>
            ) : (
              <Table caption="Domains" columns={columns} rows={domains} keyOf={(domain) => domain} />
            )}
            {isOwner && <AddDomain key={domains.join()} domains={domains} />}
            {removed !== undefined && (
              <RemoveDomain domain={removed} domains={domains} onClose={() => setRemoved(undefined)} />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  )
}
