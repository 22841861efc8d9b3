import { Copy } from '../../../parts/copy.tsx'
import { Page } from '../../../parts/page.tsx'
import { useSession } from '../../../session/session.ts'
import { OrganizationTabs } from './tabs.tsx'

export function GeneralPage() {
  const { me } = useSession()
  return (
    <Page title="Organization settings">
      <OrganizationTabs />
      <section className="card">
        <h2>{me.org.name}</h2>
        <dl>
          <dt>Id</dt>
          <dd>
            <Copy text={me.org.id} />
          </dd>
          <dt>Name in addresses</dt>
          <dd>
            <code>{me.org.slug}</code>
          </dd>
          <dt>Your role</dt>
          <dd>{me.role}</dd>
        </dl>
      </section>
    </Page>
  )
}
