import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { useSession } from '#console/session/session.ts'
import { readOrg, setDomains } from '#contract/auth/members.ts'

/** Adds a domain to those that the organization has. */
export function AddDomain({ domains }: { domains: readonly string[] }) {
  const { me } = useSession()
  const own = me.user.email.split('@')[1] ?? ''
  const [domain, setDomain] = useState(domains.includes(own) ? '' : own)
  const wanted = domain.trim().toLowerCase()
  const add = useAct(setDomains, { changes: [readOrg], done: () => `People of ${wanted} join from now on.` })
  const fault = faultOf(add.error, `domains.${domains.length}`)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!add.isRunning) add.run({ org_id: me.org.id, domains: [...domains, wanted] })
  }
  return (
    <section className="card" aria-labelledby="add-domain">
      <h2 id="add-domain">Add domain</h2>
      <form onSubmit={submit}>
        <Field
          label="Domain"
          value={domain}
          onChange={setDomain}
          required
          maxLength={253}
          autoComplete="off"
          autoCapitalize="none"
          hint="You can add the domain of your own verified address. The operator of svc can add others."
          fault={fault}
        />
        {fault === undefined && <Fault of={add.error} />}
        <button
          type="submit"
          className="button main"
          disabled={wanted === '' || domains.includes(wanted)}
          aria-busy={add.isRunning}
        >
          Add domain
        </button>
      </form>
    </section>
  )
}
