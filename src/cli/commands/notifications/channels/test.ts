import { testChannel } from '#contract/notifications/test-channel.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const made = await client.call(testChannel, { id })
  show(cli, flags.output, made, () => `A test notification is on its way to ${id}.`)
  cli.note(`Show what became of it with: svc notifications deliveries show ${made.notification_id}`)
}
