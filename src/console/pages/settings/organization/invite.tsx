import { useState } from 'react'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { useClose } from '#console/parts/form/close-context.ts'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { useSession } from '#console/session/session.ts'
import { createInvitation, listInvitations } from '#contract/auth/members.ts'
import { ROLES, type Role } from '#contract/core/roles.ts'
import { MailPlace } from './mail-place.tsx'

const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: role }))

const NOBODY: { email: string; role: Role } = { email: '', role: 'member' }

/** Invites a person, then shows the link of the invitation. */
export function Invite() {
  const { me } = useSession()
  const [invitation, setInvitation] = useState<{ link: string; email: string }>()
  if (invitation) return <InvitationLink {...invitation} />
  return (
    <FormDialog
      title="Invite person"
      op={createInvitation}
      fields={NOBODY}
      input={(typed) => ({ org_id: me.org.id, ...typed })}
      changes={[listInvitations]}
      after={({ link }, { email }) => setInvitation({ link, email })}
    >
      <Field label="Email" name="email" type="email" required />
      <ChoiceField label="Role" name="role" options={ROLE_OPTIONS} />
    </FormDialog>
  )
}

export function InvitationLink({ link, email }: { link: string; email: string }) {
  const close = useClose()
  return (
    <Dialog title="Invitation made">
      <MailPlace email={email} />
      <p>It works once, within seven days, for a person who signs in with that address.</p>
      <Copy text={link} isBlock />
      <footer className="row">
        <button type="button" className="button main" onClick={close}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
