import { removeAppPerson } from '#contract/apps/people.ts'
import type { Cli } from '../../../cli.ts'
import { openClient } from '../../../client.ts'
import type { LoginFlags, OutputFlags } from '../../../command.ts'
import { findPerson } from '../../../find-person.ts'
import { show } from '../../../output.ts'

export async function run([alias, given]: [string, string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const user_id = await findPerson(client, given)
  const answer = await client.call(removeAppPerson, { alias, user_id })
  show(cli, flags.output, answer, () => `${given} has no part in ${alias} any more.`)
}
