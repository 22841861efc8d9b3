import { ackNotification } from '#contract/notifications/inbox.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const entry = await client.call(ackNotification, { id })
  show(cli, flags.output, entry, () => `Marked ${id} as read.`)
}
