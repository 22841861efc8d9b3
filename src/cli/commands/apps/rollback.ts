import { randomUUID } from 'node:crypto'
import { rollBack } from '#contract/apps/deploys.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import { outcomeOf, untilDeployed } from '../../source/follow-deploy.ts'
import type { Cli } from '../../terminal/cli.ts'
import { Unsuccessful } from '../../terminal/exit.ts'
import { show } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { revision?: string; follow?: boolean }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const input = { alias, ...(flags.revision !== undefined && { revision_id: flags.revision }) }
  const started = await client.call(rollBack, input, { idempotencyKey: randomUUID() })
  if (!flags.follow) {
    show(
      cli,
      flags.output,
      started,
      () => `Deploy ${started.id} of ${alias} returns to ${started.revision_id}: ${started.state}.`,
    )
    return
  }
  const deploy = await untilDeployed(client, alias, started, cli.note)
  show(cli, flags.output, deploy, () => outcomeOf(alias, deploy))
  if (deploy.state !== 'live') throw new Unsuccessful()
}
