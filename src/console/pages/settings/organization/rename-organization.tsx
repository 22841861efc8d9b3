import { type SubmitEvent, useState } from 'react'
import { listOrgs, readOrg, renameOrg } from '#contract/auth/members.ts'
import { faultOf } from '../../../call/explain.ts'
import { useAct } from '../../../call/use-act.ts'
import { Fault } from '../../../parts/fault.tsx'
import { Field } from '../../../parts/field.tsx'
import { useSession } from '../../../session/session.ts'

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
