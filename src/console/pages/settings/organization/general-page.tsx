import { useCall } from '#console/call/use-call.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listOrgs, readOrg, renameOrg } from '#contract/auth/members.ts'
import { DeleteOrganization } from './delete-organization.tsx'
import { OrganizationPage } from './organization-page.tsx'

export function GeneralPage() {
  const { me } = useSession()
  const org = useCall(readOrg, { org_id: me.org.id })
  const isOwner = useHasRole('owner')
  return (
    <OrganizationPage>
      <Loaded of={org}>
        {({ id, name, slug, created_at }) => (
          <div className="stack">
            <section className="card">
              <h2>{name}</h2>
              <Facts
                of={{
                  Id: <Copy text={id} />,
                  'Name in addresses': <code>{slug}</code>,
                  Created: <Time at={created_at} />,
                  'Your role': me.role,
                }}
              />
            </section>
            {isOwner && <RenameOrganization key={name} name={name} />}
            <DeleteOrganization name={name} slug={slug} />
          </div>
        )}
      </Loaded>
    </OrganizationPage>
  )
}

function RenameOrganization({ name: saved }: { name: string }) {
  const { me, reread } = useSession()
  return (
    <section className="card" aria-labelledby="rename">
      <h2 id="rename">Name</h2>
      <ActForm
        op={renameOrg}
        fields={{ name: saved }}
        input={({ name }) => ({ org_id: me.org.id, name })}
        changes={[readOrg, listOrgs]}
        done={(org) => `The organization is now called ${org.name}.`}
        after={reread}
        submit="Rename organization"
        isReady={({ name }) => !['', saved].includes(name.trim())}
      >
        <Field
          label="Name of the organization"
          name="name"
          required
          hint="Shown to members and in invitations. The name in addresses stays."
        />
      </ActForm>
    </section>
  )
}
