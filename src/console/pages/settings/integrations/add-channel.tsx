import { useState } from 'react'
import { Choice } from '#console/parts/choice.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { AddChat } from './add-chat.tsx'
import { AddEmail } from './add-email.tsx'
import { AddForum } from './add-forum.tsx'
import { AddWebhook } from './add-webhook.tsx'

const KINDS = [
  { value: 'email', label: 'Email address' },
  { value: 'chat', label: 'Chat channel' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'forum', label: 'Forum' },
] as const
type Kind = (typeof KINDS)[number]['value']

const FORMS: Record<Kind, (props: { onClose: () => void }) => React.ReactNode> = {
  email: AddEmail,
  chat: AddChat,
  webhook: AddWebhook,
  forum: AddForum,
}

/** Asks for the kind of a channel, then for what that kind needs. */
export function AddChannel({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('email')
  const Form = FORMS[kind]
  return (
    <Dialog title="Add channel" onClose={onClose}>
      <Choice label="Kind" value={kind} options={KINDS} onChange={setKind} />
      <Form onClose={onClose} />
    </Dialog>
  )
}
