import { deleteSubscription } from '#contract/notifications/subscriptions.ts'
import type { Cli } from '../../../cli.ts'
import { openClient } from '../../../client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../../command.ts'
import { show } from '../../../output.ts'
import { confirm } from '../../../prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This removes the subscription ${id} for your whole organization`)
  const answer = await client.call(deleteSubscription, { id })
  show(cli, flags.output, answer, () => `Removed ${id}.`)
}
