import { exposeSource } from '#contract/data-sources/sources.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const source = await client.call(exposeSource, { id, exposed: false })
  show(cli, flags.output, source, () => `${source.source_id} is not exposed any more.`)
}
