import { dropDatabase } from '#contract/databases.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { confirm } from '../../prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([name]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This drops the database ${name} and everything in it`, name)
  const answer = await cli.progress(`Dropping ${name}`, client.call(dropDatabase, { name, confirm: name }))
  show(cli, flags.output, answer, () => `Dropped ${name}.`)
}
