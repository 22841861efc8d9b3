import { dropDatabase } from '#contract/databases.ts'
import { openClient } from '../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { confirm } from '../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([name]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This drops the database ${name} and everything in it`, name)
  const answer = await cli.progress(`Dropping ${name}`, client.call(dropDatabase, { name, confirm: name }))
  show(cli, flags.output, answer, () => `Dropped ${name}.`)
}
