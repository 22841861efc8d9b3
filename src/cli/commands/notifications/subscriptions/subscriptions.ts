import type { z } from 'zod'
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  type Timing,
} from '#contract/notifications/subscriptions.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'
import { printable } from '../../../terminal/printable.ts'

export const list = listCommand(listSubscriptions, {
  label: 'Listing subscriptions',
  header: ['ID', 'EVENT', 'TIMING', 'STATE', 'CHANNEL'],
  cut: ['CHANNEL', 'STATE'],
  row: ({ id, event_type, timing, disabled_by, channel }) => [
    id,
    event_type,
    timing,
    disabled_by === null ? 'enabled' : `disabled (${disabled_by})`,
    `${channel.kind} ${channel.label}`,
  ],
  none: (_, __, { config }) =>
    `Your organization has no subscriptions. Add one with: ${config.program} notifications subscriptions add`,
})

export const add = callCommand(createSubscription, {
  input: ([event_type, channel_id], { timing }: { timing?: z.infer<typeof Timing> }) => ({
    event_type,
    channel_id,
    ...(timing && { timing }),
  }),
  text: ({ id, event_type, channel }) => `Subscribed ${printable(channel.label)} to ${event_type}: ${id}.`,
})

export const remove = callCommand(deleteSubscription, {
  input: ([id]) => ({ id }),
  confirm: ([id]) => [`This removes the subscription ${id} for your whole organization`],
  text: (_, [id]) => `Removed ${id}.`,
})
