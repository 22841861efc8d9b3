import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { addEmail } from '#contract/notifications/email.ts'

export function AddEmail({ onClose }: { onClose: () => void }) {
  const [address, setAddress] = useState('')
  const add = useAct(addEmail, {
    changes: [listChannels],
    done: ({ label, state }) =>
      state === 'active' ? `Added ${label}.` : `A mail asks ${label} to confirm. Until then it gets nothing.`,
    after: onClose,
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.run({ address })
      }}
    >
      <Field
        label="Address"
        type="email"
        value={address}
        onChange={setAddress}
        required
        hint="A member's address is active at once. Others must confirm by a link."
      />
      <Fault of={add.error} />
      <FormFoot act="Add address" isRunning={add.isRunning} onClose={onClose} />
    </form>
  )
}
