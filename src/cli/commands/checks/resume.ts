import { changeCheck } from '#contract/checks/checks.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags

export async function run([alias, check]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const changed = await client.call(changeCheck, { alias, check, enabled: true })
  show(cli, flags.output, changed, () => `Resumed the check ${changed.name}.`)
}
