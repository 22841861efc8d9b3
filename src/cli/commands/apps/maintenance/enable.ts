import { changeAppMaintenance } from '#contract/maintenance/settings.ts'
import { openClient } from '../../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { confirm } from '../../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This lets the maintenance agent read logs, source and checks of ${alias}`, alias)
  const answer = await client.call(changeAppMaintenance, { alias, enabled: true })
  show(cli, flags.output, answer, () => `The maintenance agent is on for ${alias}.`)
  cli.note(`Run it now: ${cli.config.program} apps maintenance run ${alias} --follow`)
}
