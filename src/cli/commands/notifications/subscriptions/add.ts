import type { z } from 'zod'
import { createSubscription, type Timing } from '#contract/notifications/subscriptions.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'

type Flags = OutputFlags & LoginFlags & { timing?: z.infer<typeof Timing> }

export async function run([event_type, channel_id]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { timing } = flags
  const made = await client.call(createSubscription, { event_type, channel_id, ...(timing && { timing }) })
  show(cli, flags.output, made, () => `Subscribed ${printable(made.channel.label)} to ${made.event_type}: ${made.id}.`)
}
