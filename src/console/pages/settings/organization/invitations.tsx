import { type SubmitEvent, useState } from 'react'
import type { z } from 'zod'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Copy } from '#console/parts/copy.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { useSession } from '#console/session/session.ts'
import { createInvitation, listInvitations, resendInvitation, revokeInvitation } from '#contract/auth/members.ts'
import { ROLES, type Role } from '#contract/core/roles.ts'

type Invitation = z.infer<typeof listInvitations.output>['items'][number]

/** Open invitations, and the form for a new one. For owners. */
export function Invitations() {
  const { me } = useSession()
  const invitations = usePages(listInvitations, { org_id: me.org.id })
  const [isInviting, setInviting] = useState(false)
  return (
    <section className="part">
      <div className="part-head">
        <h2>Invitations</h2>
        <button type="button" className="button main" onClick={() => setInviting(true)}>
          Invite person
        </button>
      </div>
      <Loaded of={invitations}>
        {(items) =>
          items.length === 0 ? (
            <p className="soft">No invitation is open.</p>
          ) : (
            <>
              <Table caption="Open invitations" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
              <More of={invitations} />
            </>
          )
        }
      </Loaded>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </section>
  )
}

const COLUMNS: readonly Column<Invitation>[] = [
  { head: 'Email', cell: ({ email }) => email },
  { head: 'Role', cell: ({ role }) => role },
  { head: 'Mail', cell: ({ mail }) => MAIL_WORDS[mail?.status ?? 'none'], isWide: true },
  { head: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} />, isWide: true },
  { head: 'Acts', cell: (invitation) => <Acts invitation={invitation} /> },
]

const MAIL_WORDS = { waiting: 'waiting', sent: 'sent', not_sent: 'not sent', none: 'none' } as const

function Acts({ invitation: { id, email } }: { invitation: Invitation }) {
  const { me } = useSession()
  const [link, setLink] = useState<string>()
  const resend = useAct(resendInvitation, { changes: [listInvitations], after: (sent) => setLink(sent.link) })
  const revoke = useAct(revokeInvitation, {
    changes: [listInvitations],
    done: () => `Revoked the invitation of ${email}.`,
  })
  const of = { org_id: me.org.id, id }
  return (
    <>
      <button type="button" className="button small" aria-busy={resend.isRunning} onClick={() => resend.run(of)}>
        Mail again<span className="visually-hidden"> to {email}</span>
      </button>{' '}
      <button type="button" className="button small" aria-busy={revoke.isRunning} onClick={() => revoke.run(of)}>
        Revoke<span className="visually-hidden"> the invitation of {email}</span>
      </button>
      <Fault of={resend.error ?? revoke.error} />
      {link !== undefined && <Link link={link} email={email} onClose={() => setLink(undefined)} />}
    </>
  )
}

const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: role }))

function Invite({ onClose }: { onClose: () => void }) {
  const { me } = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [link, setLink] = useState<string>()
  const invite = useAct(createInvitation, { changes: [listInvitations], after: (made) => setLink(made.link) })
  if (link !== undefined) return <Link link={link} email={email} onClose={onClose} />
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    invite.run({ org_id: me.org.id, email, role })
  }
  const fault = faultOf(invite.error, 'email')
  return (
    <Dialog title="Invite person" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Email" type="email" value={email} onChange={setEmail} required fault={fault} />
        <Choice label="Role" value={role} options={ROLE_OPTIONS} onChange={setRole} />
        {fault === undefined && <Fault of={invite.error} />}
        <FormFoot act="Invite person" isRunning={invite.isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}

function Link({ link, email, onClose }: { link: string; email: string; onClose: () => void }) {
  return (
    <Dialog title="Invitation made" onClose={onClose}>
      <p>
        A mail with this link goes to <strong>{email}</strong>. If mail is not set up, send the link yourself. It works
        once, within seven days, for a person who signs in with that address.
      </p>
      <Copy text={link} isBlock />
      <footer className="row">
        <button type="button" className="button main" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
