import { listDeploys } from '#contract/apps/deploys.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing deploys', collect(client, listDeploys, { alias }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['DEPLOY', 'STATE', 'REVISION', 'CREATED'],
    row: (deploy) => [
      deploy.id,
      deploy.failure_code ? `${deploy.state} ${deploy.failure_code}` : deploy.state,
      deploy.revision_id,
      cli.time(deploy.created_at),
    ],
    none: `Nothing of ${alias} was deployed yet. Deploy a folder: svc apps deploy ${alias} --dir .`,
  })
}
