import { listChannels, testChannel } from '#contract/notifications/channels.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'

export const list = listCommand(listChannels, {
  label: 'Listing channels',
  header: ['ID', 'KIND', 'STATE', 'FAILING SINCE', 'LABEL'],
  cut: ['LABEL'],
  row: ({ id, kind, state, disabled_reason, failing_since, label }, cli) => [
    id,
    kind,
    disabled_reason === null ? state : `${state} (${disabled_reason})`,
    cli.time(failing_since, ''),
    label,
  ],
  none: 'Your organization has no channels. Connect one over HTTP; the server lists these operations at /docs.',
})

export const test = callCommand(testChannel, {
  input: ([id]) => ({ id }),
  text: (_, [id]) => `A test notification is on its way to ${id}.`,
  notes: ({ notification_id: id }, _, { config }) => [
    `Show what became of it with: ${config.program} notifications deliveries show ${id}`,
  ],
})
