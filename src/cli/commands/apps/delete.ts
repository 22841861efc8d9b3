import { deleteApp } from '#contract/apps/apps.ts'
import { openClient } from '../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { confirm } from '../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This deletes the app ${alias} with everything that belongs to it`, alias)
  const answer = await client.call(deleteApp, { alias, confirm: alias })
  show(cli, flags.output, answer, () => `Deleting ${alias}.`)
}
