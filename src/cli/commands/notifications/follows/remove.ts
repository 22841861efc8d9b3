import { setFollow } from '#contract/notifications/follows.ts'
import type { Cli } from '../../../cli.ts'
import { openClient } from '../../../client.ts'
import type { LoginFlags, OutputFlags } from '../../../command.ts'
import { show } from '../../../output.ts'

export async function run([app]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const follow = await client.call(setFollow, { app, categories: [] })
  show(cli, flags.output, follow, () => `You do not follow ${app} any more.`)
}
