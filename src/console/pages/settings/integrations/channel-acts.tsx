import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { type Channel, listChannels } from '#contract/notifications/channels.ts'
import { disconnectChat, readChat } from '#contract/notifications/chat.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { deleteEmail } from '#contract/notifications/email.ts'
import { disconnectForum } from '#contract/notifications/forum.ts'
import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { testChannel } from '#contract/notifications/test-channel.ts'
import { deleteWebhook } from '#contract/notifications/webhooks.ts'

/** Tests or deletes a channel. */
export function ChannelActs({ channel }: { channel: Channel }) {
  const [isDeleting, setDeleting] = useState(false)
  const test = useAct(testChannel, {
    changes: [listDeliveries],
    done: () => `A test notification to ${channel.label} is on its way. Deliveries shows what became of it.`,
  })
  return (
    <>
      {channel.state === 'active' && (
        <button
          type="button"
          className="button small"
          aria-busy={test.isRunning}
          onClick={() => test.run({ id: channel.id })}
        >
          Send test<span className="visually-hidden"> to {channel.label}</span>
        </button>
      )}{' '}
      <button type="button" className="button small" onClick={() => setDeleting(true)}>
        Delete<span className="visually-hidden"> {channel.label}</span>
      </button>
      <Fault of={test.error} />
      {isDeleting && <Delete channel={channel} onClose={() => setDeleting(false)} />}
    </>
  )
}

function Delete({ channel: { id, kind, label }, onClose }: { channel: Channel; onClose: () => void }) {
  const act = { changes: [listChannels, listSubscriptions, readChat], done: () => `Deleted ${label}.`, after: onClose }
  const acts = {
    email: useAct(deleteEmail, act),
    webhook: useAct(deleteWebhook, act),
    chat: useAct(disconnectChat, act),
    forum: useAct(disconnectForum, act),
  }
  const confirm = () => {
    if (kind === 'email' || kind === 'webhook') acts[kind].run({ id })
    else acts[kind].run({})
  }
  return (
    <Confirm
      title="Delete channel"
      isRunning={acts[kind].isRunning}
      error={acts[kind].error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        <strong>{label}</strong> and its subscriptions are deleted. Notifications that were not sent yet are dropped.
      </p>
    </Confirm>
  )
}
