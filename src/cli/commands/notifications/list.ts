import { showInvisible } from '#contract/core/show-invisible.ts'
import { followInbox } from '#contract/notifications/inbox.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import { usageError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'
import { toJsonLine } from '../../terminal/output.ts'
import { list } from './inbox.ts'

type Flags = OutputFlags & LoginFlags & { follow?: boolean; since?: string; unread?: boolean; limit?: number }

export async function run(args: readonly string[], flags: Flags, cli: Cli): Promise<void> {
  await (flags.follow ? follow(flags, cli) : list.run(args, flags, cli))
}

/** Prints each notification as it comes: as text, or as one JSON object a line. */
async function follow({ since, unread, limit, ...flags }: Flags, cli: Cli): Promise<void> {
  if (unread || limit !== undefined) throw usageError('--follow can be combined with --since only.')
  const client = await openClient(flags, cli)
  for await (const event of client.stream(followInbox, since === undefined ? {} : { last_id: since })) {
    if (flags.output !== 'table') cli.print(toJsonLine(event))
    else if (event.type === 'start') cli.note('Waiting for notifications. Press Ctrl-C to stop.')
    else cli.print(`${cli.time(event.occurred_at)} ${event.id} ${event.event_type} ${showInvisible(event.subject)}`)
  }
}
