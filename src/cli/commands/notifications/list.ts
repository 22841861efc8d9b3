import { listInbox } from '#contract/notifications/inbox.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number; unread?: boolean }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const input = flags.unread ? { unread: true } : {}
  const list = await cli.progress('Listing notifications', collect(client, listInbox, input, flags.limit))
  showList(cli, flags.output, list, {
    header: ['ID', 'WHEN', 'READ', 'EVENT', 'SUBJECT'],
    cut: ['SUBJECT'],
    row: ({ id, occurred_at, read_at, event_type, subject }) => [
      id,
      cli.time(occurred_at),
      read_at === null ? 'no' : 'yes',
      event_type,
      subject,
    ],
    none: flags.unread ? 'You have read all your notifications.' : 'You have no notifications yet.',
  })
}
