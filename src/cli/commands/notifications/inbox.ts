import { ackNotification, listInbox } from '#contract/notifications/inbox.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'

export const list = listCommand(listInbox, {
  label: 'Listing notifications',
  input: (_, { unread }: { unread?: boolean }) => (unread ? { unread } : {}),
  header: ['ID', 'WHEN', 'READ', 'EVENT', 'SUBJECT'],
  cut: ['SUBJECT'],
  row: ({ id, occurred_at, read_at, event_type, subject }, cli) => [
    id,
    cli.time(occurred_at),
    read_at === null ? 'no' : 'yes',
    event_type,
    subject,
  ],
  none: (_, { unread }) => (unread ? 'You have read all your notifications.' : 'You have no notifications yet.'),
})

export const ack = callCommand(ackNotification, {
  input: ([id]) => ({ id }),
  text: (_, [id]) => `Marked ${id} as read.`,
})
