import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { searchHint } from './search-hint.ts'
import { switchDatabase } from './switch.ts'

type Flags = OutputFlags & LoginFlags & { description?: string }

export async function run([database]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { description } = flags
  const source = await switchDatabase(client, database, { enabled: true, ...(description && { description }) })
  show(cli, flags.output, source, () => `${source.name} is a data source now: ${source.source_id}.`)
  if (source.connection_config === null) {
    cli.note(`Configure its search next. ${searchHint(cli, source.source_id)}`)
  } else if (!source.exposed) {
    cli.note(`Let agents ask it: ${cli.config.program} datasource expose ${source.source_id} --min-role viewer`)
  }
}
