import { deleteCheck, readCheck } from '#contract/checks/checks.ts'
import { openClient } from '../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { confirm } from '../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([alias, check]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id, name } = await client.call(readCheck, { alias, check })
  await confirm(cli, flags.yes, `This deletes the check ${name} of ${alias} with its history`, name)
  const answer = await client.call(deleteCheck, { alias, check: id })
  show(cli, flags.output, answer, () => `Deleted the check ${name}.`)
}
