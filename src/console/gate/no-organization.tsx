import { type SubmitEvent, useState } from 'react'
import { createOrg } from '#contract/auth/auth.ts'
import { createAttemptKeys } from '../call/attempt-keys.ts'
import { explain } from '../call/explain.ts'
import { useOnce } from '../call/use-once.ts'
import { Field } from '../parts/form/field.tsx'
import { LIMITS } from '../parts/form/limits.ts'
import { connect } from '../session/api.ts'
import type { Me } from '../session/session.ts'
import { switchTo } from '../session/switch.ts'

/** Shown to a person who belongs to no organization yet, where there is no session for an `ActForm`. */
export function NoOrganization({ me }: { me: Me }) {
  const [name, setName] = useState('')
  const [fault, setFault] = useState<string>()
  const [keys] = useState(createAttemptKeys)
  const once = useOnce()
  const create = async () => {
    const { id } = await connect().call(createOrg, { name }, { idempotencyKey: keys.keyFor(name) })
    await switchTo(id)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    once(() => create().catch((error: unknown) => setFault(explain(error))))
  }
  return (
    <main className="alone">
      <h1>You belong to no organization yet</h1>
      <p>
        You are signed in as <strong>{me.user?.email}</strong>. If a colleague invited you, open the link in their mail.
        Otherwise create an organization.
      </p>
      <form onSubmit={submit}>
        <Field
          label="Name of the organization"
          value={name}
          onChange={setName}
          required
          {...LIMITS[createOrg.name]?.name}
          fault={fault}
        />
        <button type="submit" className="button main">
          Create organization
        </button>
      </form>
    </main>
  )
}
