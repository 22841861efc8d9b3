import { changeAppMaintenance } from '#contract/maintenance/settings.ts'
import { openClient } from '../../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { confirm } from '../../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This stops the maintenance agent of ${alias}, also a run that is under way`, alias)
  const answer = await client.call(changeAppMaintenance, { alias, enabled: false })
  show(cli, flags.output, answer, () => `The maintenance agent is off for ${alias}. Its history stays.`)
}
