import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { switchDatabase } from './switch.ts'

export async function run([database]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const source = await switchDatabase(client, database, { enabled: false })
  show(cli, flags.output, source, () => `${source.source_id} is switched off. Nobody can ask it.`)
}
