import { ackNotification, listInbox } from '#contract/notifications/inbox.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'

export const list = listCommand(listInbox, {
  label: 'Listing notifications',
  input: (_, { unread, since }: { unread?: boolean; since?: string }) => ({
    ...(unread && { unread }),
    ...(since !== undefined && { since }),
  }),
  header: ['ID', 'WHEN', 'READ', 'EVENT', 'SUBJECT'],
  cut: ['SUBJECT'],
  row: ({ id, occurred_at, read_at, event_type, subject }, cli) => [
    id,
    cli.time(occurred_at),
    read_at === null ? 'no' : 'yes',
    event_type,
    subject,
  ],
  none: (_, { unread, since }) => {
    if (since !== undefined) return `You have no notifications after ${since}.`
    return unread ? 'You have read all your notifications.' : 'You have no notifications yet.'
  },
})

export const ack = callCommand(ackNotification, {
  input: ([id]) => ({ id }),
  text: (_, [id]) => `Marked ${id} as read.`,
})
