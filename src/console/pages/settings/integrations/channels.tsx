import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { type Channel, listChannels } from '#contract/notifications/channels.ts'
import { AddChat } from './add-chat.tsx'
import { AddEmail } from './add-email.tsx'
import { AddForum } from './add-forum.tsx'
import { AddWebhook } from './add-webhook.tsx'
import { ChannelActs } from './channel-acts.tsx'

const COLUMNS: readonly Column<Channel>[] = [
  { head: 'Channel', cell: ({ label }) => label },
  { head: 'Kind', cell: ({ kind }) => kind, isWide: true },
  { head: 'State', cell: (channel) => <ChannelState channel={channel} /> },
  { head: 'Actions', cell: (channel) => <ChannelActs channel={channel} /> },
]

/** Email addresses, chat, webhooks and the forum that an admin connected. */
export function Channels() {
  const channels = useCall(listChannels, {})
  return (
    <section aria-labelledby="channels">
      <div className="part-head">
        <h2 id="channels">Channels</h2>
        <Opener label="Add channel" look="main" dialog={<AddChannel />} />
      </div>
      <List
        isStacked
        of={channels}
        caption="Channels"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No channels yet">
            <p>Add an email address, a chat channel, a webhook or a forum. Then subscribe it to events below.</p>
          </Empty>
        }
      />
    </section>
  )
}

function ChannelState({ channel: { state, disabled_reason, failing_since } }: { channel: Channel }) {
  if (state === 'disabled')
    return (
      <>
        <Chip tone="failure">Disabled</Chip> {disabled_reason}
      </>
    )
  if (state === 'unconfirmed') return <Chip tone="attention">Waits for confirmation</Chip>
  if (failing_since !== null)
    return (
      <>
        <Chip tone="attention">Failing</Chip> since <Time at={failing_since} />
      </>
    )
  return <Chip tone="success">Active</Chip>
}

const KINDS = [
  { value: 'email', label: 'Email address' },
  { value: 'chat', label: 'Chat channel' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'forum', label: 'Forum' },
] as const
type Kind = (typeof KINDS)[number]['value']

const FORMS: Record<Kind, () => React.ReactNode> = {
  email: AddEmail,
  chat: AddChat,
  webhook: AddWebhook,
  forum: AddForum,
}

/** Asks for the kind of a channel, then for what that kind needs. */
function AddChannel() {
  const [kind, setKind] = useState<Kind>('email')
  const Form = FORMS[kind]
  return (
    <Dialog title="Add channel">
      <Choice label="Kind" value={kind} options={KINDS} onChange={setKind} />
      <Form />
    </Dialog>
  )
}
