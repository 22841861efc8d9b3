import { removeAppPerson } from '#contract/apps/people.ts'
import { openClient } from '../../../call/client.ts'
import { findPerson } from '../../../call/find-person.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'

export async function run([alias, given]: [string, string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const user_id = await findPerson(client, given)
  const answer = await client.call(removeAppPerson, { alias, user_id })
  show(cli, flags.output, answer, () => `${given} has no part in ${alias} any more.`)
}
