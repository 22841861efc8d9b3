import { setFollow } from '#contract/notifications/follows.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'

export async function run([app]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const follow = await client.call(setFollow, { app, categories: [] })
  show(cli, flags.output, follow, () => `You do not follow ${app} any more.`)
}
