import { changeEnvironment } from '#contract/apps/environment.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'

type Args = [alias: string, ...names: string[]]

export async function run([alias, ...names]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const environment = await client.call(changeEnvironment, { alias, remove: names })
  show(cli, flags.output, environment, () => `Removed ${names.join(', ')} of ${alias}.`)
  cli.note('It takes effect when the app is next deployed or started again.')
}
