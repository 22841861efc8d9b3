import type { SubscriptionRow } from '../subscriptions/store.ts'

type SubscriptionState = Pick<SubscriptionRow, 'disabled_by' | 'channel_kind' | 'channel_label' | 'channel_state'>

const STOPPED: Record<SubscriptionRow['channel_kind'], string> = {
  webhook: 'The webhook is stopped, because its receiver said that it is gone. Save its address again to resume.',
  chat: 'The chat channel is stopped, because its webhook was deleted. Connect it again to resume.',
  forum: 'The forum is stopped. Connect it again to resume.',
  email: 'The address is stopped. Add it again to resume.',
}

/** Returns why nothing of a subscription is sent at present, and what to do. Null if events are sent. */
export function noticeOf({
  disabled_by,
  channel_kind,
  channel_label,
  channel_state,
}: SubscriptionState): string | null {
  if (disabled_by === 'unsubscribe') return 'The recipient unsubscribed, and only they can undo that.'
  if (disabled_by === 'unconfirmed') {
    return `The person behind ${channel_label} unsubscribed from a part of it and got a mail. It begins when they confirm.`
  }
  if (channel_state === 'disabled') return STOPPED[channel_kind]
  if (channel_state === 'unconfirmed') return `${channel_label} is not confirmed yet. Its person got a mail.`
  return disabled_by === 'admin' ? 'An admin disabled it. Enable it to resume.' : null
}
