import { ActButton } from '#console/parts/form/act-button.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { type Channel, listChannels, testChannel } from '#contract/notifications/channels.ts'
import { disconnectChat, readChat } from '#contract/notifications/chat.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { deleteEmail } from '#contract/notifications/email.ts'
import { disconnectForum } from '#contract/notifications/forum.ts'
import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { deleteWebhook } from '#contract/notifications/webhooks.ts'
import { SigningSecret } from './signing-secret.tsx'

export function ChannelActs({ channel }: { channel: Channel }) {
  return (
    <>
      {channel.state === 'active' && (
        <ActButton
          op={testChannel}
          input={{ id: channel.id }}
          look="small"
          changes={[listDeliveries]}
          done={`A test notification to ${channel.label} is on its way. Deliveries shows what became of it.`}
        >
          Send test<span className="visually-hidden"> to {channel.label}</span>
        </ActButton>
      )}{' '}
      {channel.kind === 'webhook' && <SigningSecret channel={channel} />} <Delete channel={channel} />
    </>
  )
}

function Delete({ channel: { id, kind, label } }: { channel: Channel }) {
  const act = {
    label: 'Delete',
    of: label,
    look: 'small',
    title: 'Delete channel',
    changes: [listChannels, listSubscriptions, readChat],
    done: `Deleted ${label}.`,
    children: (
      <p>
        <strong>{label}</strong> and its subscriptions are deleted. Notifications that were not sent yet are dropped.
      </p>
    ),
  }
  switch (kind) {
    case 'email':
      return <AskButton op={deleteEmail} input={{ id }} {...act} />
    case 'webhook':
      return <AskButton op={deleteWebhook} input={{ id }} {...act} />
    case 'chat':
      return <AskButton op={disconnectChat} input={{}} {...act} />
    case 'forum':
      return <AskButton op={disconnectForum} input={{}} {...act} />
    default:
      throw kind satisfies never
  }
}
