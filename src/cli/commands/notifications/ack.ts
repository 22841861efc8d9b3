import { ackNotification } from '#contract/notifications/inbox.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const entry = await client.call(ackNotification, { id })
  show(cli, flags.output, entry, () => `Marked ${id} as read.`)
}
