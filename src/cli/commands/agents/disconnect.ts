import { disconnectAgent } from '#contract/auth/agents.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { confirm } from '../../prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, `This disconnects the agent ${id}`)
  const answer = await client.call(disconnectAgent, { id })
  show(cli, flags.output, answer, () => `Disconnected ${id}.`)
}
