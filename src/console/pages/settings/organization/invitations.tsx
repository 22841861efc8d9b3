import { useState } from 'react'
import type { z } from 'zod'
import { usePages } from '#console/call/use-pages.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { CloseContext } from '#console/parts/form/close-context.ts'
import { Opener } from '#console/parts/form/opener.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useSession } from '#console/session/session.ts'
import { listInvitations, resendInvitation, revokeInvitation } from '#contract/auth/members.ts'
import { deliveredWords } from '#contract/notifications/mail-place.ts'
import { InvitationLink, Invite } from './invite.tsx'
import { useMailPlace } from './mail-place.tsx'

type Invitation = z.infer<typeof listInvitations.output>['items'][number]

/** Open invitations, and the form for a new one. For owners. */
export function Invitations() {
  const { me } = useSession()
  const mailPlace = useMailPlace()
  const invitations = usePages(listInvitations, { org_id: me.org.id })
  return (
    <section className="part">
      <div className="part-head">
        <h2>Invitations</h2>
        <Opener label="Invite person" look="main" dialog={<Invite />} />
      </div>
      <List
        isStacked
        of={invitations}
        caption="Open invitations"
        columns={columnsOf(deliveredWords(mailPlace))}
        keyOf={({ id }) => id}
        empty={<p className="soft">No invitation is open.</p>}
      />
    </section>
  )
}

const columnsOf = (sent: string): readonly Column<Invitation>[] => [
  { head: 'Email', cell: ({ email }) => email },
  { head: 'Role', cell: ({ role }) => role },
  {
    head: 'Mail',
    cell: ({ mail }) => (mail?.status === 'sent' ? sent : MAIL_WORDS[mail?.status ?? 'none']),
    isWide: true,
  },
  { head: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} />, isWide: true },
  { head: 'Actions', cell: (invitation) => <Acts invitation={invitation} /> },
]

const MAIL_WORDS = { waiting: 'waiting', not_sent: 'not sent', none: 'none' } as const

function Acts({ invitation: { id, email } }: { invitation: Invitation }) {
  const { me } = useSession()
  const [link, setLink] = useState<string>()
  const act = { input: { org_id: me.org.id, id }, changes: [listInvitations], look: 'small' }
  return (
    <>
      <ActButton op={resendInvitation} {...act} after={(sent) => setLink(sent.link)}>
        Mail again<span className="visually-hidden"> to {email}</span>
      </ActButton>{' '}
      <ActButton op={revokeInvitation} {...act} done={`Revoked the invitation of ${email}.`}>
        Revoke<span className="visually-hidden"> the invitation of {email}</span>
      </ActButton>
      {link !== undefined && (
        <CloseContext value={() => setLink(undefined)}>
          <InvitationLink link={link} email={email} />
        </CloseContext>
      )}
    </>
  )
}
