import { listChannels, testChannel } from '#contract/notifications/channels.ts'
import { deleteWebhookSecret, rotateWebhookSecret } from '#contract/notifications/webhook-secret.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'
import { printable } from '../../../terminal/printable.ts'

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

/** Prints only the secret to stdout, so that scripts can use it directly. */
export const rotateSecret = callCommand(rotateWebhookSecret, {
  input: ([id]) => ({ id }),
  text: ({ secret }) => printable(secret),
  notes: ({ former_ends_at }, _, cli) => [
    'The secret is not shown again. Give it to the receiver, which verifies with any library of Standard Webhooks.',
    ...(former_ends_at === null ? [] : [`The former secret goes on signing until ${cli.time(former_ends_at)}.`]),
  ],
})

export const deleteSecret = callCommand(deleteWebhookSecret, {
  input: ([id]) => ({ id }),
  confirm: ([id]) => [`This deletes the signing secret of ${id}. Receivers that verify it refuse all further requests`],
  text: (_, [id]) => `Deleted the signing secret of ${id}.`,
})
