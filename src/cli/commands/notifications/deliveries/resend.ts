import { type Delivery, readDelivery, resendDelivery } from '#contract/notifications/deliveries.ts'
import { openClient } from '../../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { confirm } from '../../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

const MAY_ARRIVE_TWICE =
  'This sends the message again. It may arrive twice, because the former one was or may have been delivered'

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const may_arrive_twice = mayArriveTwice(await client.call(readDelivery, { id }))
  await confirm(cli, flags.yes, may_arrive_twice ? MAY_ARRIVE_TWICE : 'This sends the message again')
  const answer = await client.call(resendDelivery, { id, may_arrive_twice })
  if (may_arrive_twice) cli.note('Warning: this message may arrive twice.')
  show(cli, flags.output, answer, () => `The message is sent again as ${answer.delivery_id}.`)
  cli.note(`Show what became of it with: ${cli.config.program} notifications deliveries show ${id}`)
}

/** False only for a message that provably was not delivered. */
function mayArriveTwice({ state, reason }: Delivery): boolean {
  return state === 'sent' || reason === 'outcome_unknown'
}
