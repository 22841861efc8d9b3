import { useCall } from '#console/call/use-call.ts'
import { Copy } from '#console/parts/copy.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Page } from '#console/parts/page.tsx'
import { Time } from '#console/parts/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { readOrg } from '#contract/auth/members.ts'
import { RenameOrganization } from './rename-organization.tsx'
import { OrganizationTabs } from './tabs.tsx'

export function GeneralPage() {
  const { me } = useSession()
  const org = useCall(readOrg, { org_id: me.org.id })
  const isOwner = useHasRole('owner')
  return (
    <Page title="Organization settings">
      <OrganizationTabs />
      <Loaded of={org}>
        {({ id, name, slug, created_at }) => (
          <div className="stack">
            <section className="card">
              <h2>{name}</h2>
              <dl>
                <dt>Id</dt>
                <dd>
                  <Copy text={id} />
                </dd>
                <dt>Name in addresses</dt>
                <dd>
                  <code>{slug}</code>
                </dd>
                <dt>Created</dt>
                <dd>
                  <Time at={created_at} />
                </dd>
                <dt>Your role</dt>
                <dd>{me.role}</dd>
              </dl>
            </section>
            {isOwner && <RenameOrganization key={name} name={name} />}
          </div>
        )}
      </Loaded>
    </Page>
  )
}
