import { exposeSource } from '#contract/data-sources/sources.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const source = await client.call(exposeSource, { id, exposed: false })
  show(cli, flags.output, source, () => `${source.source_id} is not exposed any more.`)
}
