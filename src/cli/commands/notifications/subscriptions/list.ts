import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'

export async function run(_: [], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing subscriptions', client.call(listSubscriptions, {}))
  showList(cli, flags.output, list, {
    header: ['ID', 'EVENT', 'TIMING', 'STATE', 'CHANNEL'],
    cut: ['CHANNEL', 'STATE'],
    row: ({ id, event_type, timing, disabled_by, channel }) => [
      id,
      event_type,
      timing,
      disabled_by === null ? 'enabled' : `disabled (${disabled_by})`,
      `${channel.kind} ${channel.label}`,
    ],
    none: 'Your organization has no subscriptions. Add one with: svc notifications subscriptions add',
  })
}
