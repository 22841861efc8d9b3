import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { useSession } from '#console/session/session.ts'
import { listOrgs, readOrg, renameOrg } from '#contract/auth/members.ts'

/** Changes the name of the organization. For owners. */
export function RenameOrganization({ name: saved }: { name: string }) {
  const { me, reread } = useSession()
  const [name, setName] = useState(saved)
  const rename = useAct(renameOrg, {
    changes: [readOrg, listOrgs],
    done: (org) => `The organization is now called ${org.name}.`,
    after: reread,
  })
  const fault = faultOf(rename.error, 'name')
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!rename.isRunning) rename.run({ org_id: me.org.id, name })
  }
  return (
    <section className="card" aria-labelledby="rename">
      <h2 id="rename">Name</h2>
      <form onSubmit={submit}>
        <Field
          label="Name of the organization"
          value={name}
          onChange={setName}
          required
          maxLength={100}
          hint="Shown to members and in invitations. The name in addresses stays."
          fault={fault}
        />
        {fault === undefined && <Fault of={rename.error} />}
        <button
          type="submit"
          className="button main"
          disabled={name.trim() === '' || name.trim() === saved}
          aria-busy={rename.isRunning}
        >
          Rename organization
        </button>
      </form>
    </section>
  )
}
