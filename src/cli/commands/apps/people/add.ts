import { setAppPerson } from '#contract/apps/people.ts'
import type { AppPart } from '#contract/core/roles.ts'
import { openClient } from '../../../call/client.ts'
import { findPerson } from '../../../call/find-person.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { part?: AppPart }

export async function run([alias, given]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const user_id = await findPerson(client, given)
  const person = await client.call(setAppPerson, { alias, user_id, part: flags.part ?? 'builder' })
  show(cli, flags.output, person, () => `${given} is ${person.part} of ${alias}.`)
}
