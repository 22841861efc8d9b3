import { exposeSource, type MinRole } from '#contract/data-sources/sources.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { searchHint } from './search-hint.ts'

type Flags = OutputFlags & LoginFlags & { minRole?: MinRole }

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const role = flags.minRole === undefined ? {} : { min_role: flags.minRole }
  const source = await client.call(exposeSource, { id, exposed: true, ...role })
  show(cli, flags.output, source, () => `${source.source_id} can be asked by the role ${source.min_role} and above.`)
  if (source.connection_config === null) {
    cli.note(`Its search is not configured yet. ${searchHint(cli, id)}`)
  }
}
