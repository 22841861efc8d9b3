import { type SubmitEvent, useState } from 'react'
import { createOrg } from '#contract/auth/auth.ts'
import { explain } from '../call/explain.ts'
import { Field } from '../parts/field.tsx'
import { connect } from '../session/api.ts'
import type { Me } from '../session/session.ts'
import { switchTo } from '../session/switch.ts'

/** Shown to a person who belongs to no organization yet. */
export function NoOrganization({ me }: { me: Me }) {
  const [fault, setFault] = useState<string>()
  const create = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = new FormData(event.currentTarget).get('name')
    if (typeof name !== 'string') return
    try {
      const { id } = await connect().call(createOrg, { name })
      await switchTo(id)
    } catch (error) {
      setFault(explain(error))
    }
  }
  return (
    <main className="alone">
      <h1>You belong to no organization yet</h1>
      <p>
        You are signed in as <strong>{me.user?.email}</strong>. If a colleague invited you, open the link in their mail.
        Otherwise create an organization.
      </p>
      <form onSubmit={(event) => void create(event)}>
        <Field label="Name of the organization" name="name" required maxLength={100} fault={fault} />
        <button type="submit" className="button main">
          Create organization
        </button>
      </form>
    </main>
  )
}
