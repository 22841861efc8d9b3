import { listFunctions } from '#contract/functions.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { app?: string; limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const input = flags.app === undefined ? {} : { alias: flags.app }
  const list = await cli.progress('Listing functions', collect(client, listFunctions, input, flags.limit))
  showList(cli, flags.output, list, {
    header: ['APP', 'NAME', 'CONNECTED', 'DESCRIPTION'],
    cut: ['DESCRIPTION'],
    row: ({ alias, name, connected, description }) => [alias, name, connected ? 'yes' : 'no', description],
    none: 'There are no functions yet. Workers of apps register them: see docs/functions.md.',
  })
}
