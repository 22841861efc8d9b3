import { changePipeline } from '#contract/pipelines.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

export async function run([alias, name]: [string, string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const pipeline = await client.call(changePipeline, { alias, name, enabled: false })
  show(cli, flags.output, pipeline, () => `${name} is disabled. Enable it again: svc pipelines enable ${alias} ${name}`)
}
