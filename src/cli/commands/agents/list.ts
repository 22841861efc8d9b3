import { listAgents } from '#contract/auth/agents.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing agents', collect(client, listAgents, {}, flags.limit))
  showList(cli, flags.output, list, {
    header: ['ID', 'NAME', 'GOES TO', 'SCOPES', 'CONNECTED', 'LAST USED'],
    cut: ['SCOPES', 'NAME', 'GOES TO'],
    row: ({ id, client_name, redirect_host, scopes, created_at, last_used_at }) => [
      id,
      client_name,
      redirect_host,
      scopes.join(' '),
      cli.time(created_at),
      cli.time(last_used_at, 'never'),
    ],
    none: 'You have not connected an agent in this organization.',
  })
}
