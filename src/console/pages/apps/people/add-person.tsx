import { type SubmitEvent, useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listAppPeople, setAppPerson } from '#contract/apps/people.ts'
import { listMembers } from '#contract/auth/members.ts'
import type { AppPart } from '#contract/core/roles.ts'
import { PARTS } from './parts.ts'

/** Gives a member a part. Admins choose from the members; an administrator of the app alone needs the person's id. */
export function AddPerson({ alias, onClose }: { alias: string; onClose: () => void }) {
  const { me } = useSession()
  const isAdmin = useHasRole('admin')
  const members = useCall(listMembers, { org_id: me.org.id, limit: 100 }, { enabled: isAdmin })
  const [userId, setUserId] = useState('')
  const [part, setPart] = useState<AppPart>('builder')
  const add = useAct(setAppPerson, {
    changes: [listAppPeople],
    done: ({ display_name }) => `${display_name ?? 'The person'} is now ${part}.`,
    after: onClose,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (userId !== '') add.run({ alias, user_id: userId, part })
  }
  const choices = (members.data?.items ?? []).map(({ user_id, name, email }) => ({
    value: user_id,
    label: name === null ? email : `${name} (${email})`,
  }))
  return (
    <Dialog title="Add person" onClose={onClose}>
      <form onSubmit={submit}>
        {isAdmin ? (
          <Choice
            label="Person"
            value={userId}
            options={[{ value: '', label: 'Choose a member' }, ...choices]}
            onChange={setUserId}
          />
        ) : (
          <Field
            label="Id of the person"
            value={userId}
            onChange={setUserId}
            required
            hint="Begins with usr_. An admin of the organization sees it under Members."
          />
        )}
        <Choice label="Part" value={part} options={PARTS} onChange={setPart} />
        <Fault of={add.error} />
        <FormFoot act="Add person" isRunning={add.isRunning} onClose={onClose} isDisabled={userId === ''} />
      </form>
    </Dialog>
  )
}
