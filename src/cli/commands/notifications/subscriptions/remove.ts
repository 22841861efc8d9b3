import { deleteSubscription } from '#contract/notifications/subscriptions.ts'
import { openClient } from '../../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { confirm } from '../../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This removes the subscription ${id} for your whole organization`)
  const answer = await client.call(deleteSubscription, { id })
  show(cli, flags.output, answer, () => `Removed ${id}.`)
}
