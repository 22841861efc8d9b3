import { listChannels } from '#contract/notifications/channels.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'

export async function run(_: [], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing channels', client.call(listChannels, {}))
  showList(cli, flags.output, list, {
    header: ['ID', 'KIND', 'STATE', 'FAILING SINCE', 'LABEL'],
    cut: ['LABEL'],
    row: ({ id, kind, state, disabled_reason, failing_since, label }) => [
      id,
      kind,
      disabled_reason === null ? state : `${state} (${disabled_reason})`,
      cli.time(failing_since, ''),
      label,
    ],
    none: 'Your organization has no channels. Connect one over HTTP; the server lists these operations at /docs.',
  })
}
