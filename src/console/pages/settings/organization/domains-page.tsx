import { useCall } from '#console/call/use-call.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { type Column, Table } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { readOrg, setDomains } from '#contract/auth/members.ts'
import { OrganizationPage } from './organization-page.tsx'

/** Email domains whose people join the organization by themselves. Owners change them. */
export function DomainsPage() {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const org = useCall(readOrg, { org_id: me.org.id })
  const columns: readonly Column<string>[] = [
    { head: 'Domain', cell: (domain) => <code>{domain}</code> },
    ...(isOwner
      ? [
          {
            head: 'Actions',
            cell: (domain: string) => (
              <AskButton
                label="Remove"
                of={domain}
                look="small"
                title="Remove domain"
                op={setDomains}
                input={{ org_id: me.org.id, domains: (org.data?.domains ?? []).filter((other) => other !== domain) }}
                changes={[readOrg]}
                done={`Removed ${domain}.`}
              >
                <p>
                  People of <strong>{domain}</strong> no longer join by themselves. Those who are members stay. Only an
                  owner with a verified address of the domain, or the operator, can add it again.
                </p>
              </AskButton>
            ),
          },
        ]
      : []),
  ]
  return (
    <OrganizationPage section="Domains">
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
          </div>
        )}
      </Loaded>
    </OrganizationPage>
  )
}

function AddDomain({ domains }: { domains: readonly string[] }) {
  const { me } = useSession()
  const own = me.user.email.split('@')[1] ?? ''
  const name = `domains.${domains.length}`
  const newDomain = (typed: Record<string, string>) => typed[name]!.trim().toLowerCase()
  return (
    <section className="card" aria-labelledby="add-domain">
      <h2 id="add-domain">Add domain</h2>
      <ActForm
        op={setDomains}
        fields={{ [name]: domains.includes(own) ? '' : own }}
        input={(typed) => ({ org_id: me.org.id, domains: [...domains, newDomain(typed)] })}
        changes={[readOrg]}
        done={(_, sent) => `People of ${sent.domains.at(-1)} join from now on.`}
        submit="Add domain"
        isReady={(typed) => !['', ...domains].includes(newDomain(typed))}
      >
        <Field
          label="Domain"
          name={name}
          required
          autoComplete="off"
          autoCapitalize="none"
          hint="You can add the domain of your own verified address. The operator of svc can add others."
        />
      </ActForm>
    </section>
  )
}
