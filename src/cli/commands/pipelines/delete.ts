import { deletePipeline } from '#contract/pipelines.ts'
import { openClient } from '../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { confirm } from '../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([alias, name]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This deletes the pipeline ${name} of ${alias} with its history`, name)
  const answer = await client.call(deletePipeline, { alias, name })
  show(cli, flags.output, answer, () => `Deleted ${name}.`)
}
