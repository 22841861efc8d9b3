import { ActForm } from '#console/parts/form/act-form.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { addEmail } from '#contract/notifications/email.ts'

export function AddEmail() {
  return (
    <ActForm
      op={addEmail}
      fields={{ address: '' }}
      input={(typed) => typed}
      changes={[listChannels]}
      done={({ label, state }) =>
        state === 'active' ? `Added ${label}.` : `A mail asks ${label} to confirm. Until then it gets nothing.`
      }
      submit="Add address"
    >
      <Field
        label="Address"
        name="address"
        type="email"
        required
        hint="A member's address is active at once. Others must confirm by a link."
      />
    </ActForm>
  )
}
