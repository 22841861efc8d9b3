import { listTokens } from '#contract/auth/tokens.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing tokens', collect(client, listTokens, {}, flags.limit))
  showList(cli, flags.output, list, {
    header: ['ID', 'NAME', 'CREATED', 'EXPIRES'],
    cut: ['NAME'],
    row: ({ id, name, created_at, expires_at }) => [id, name, cli.time(created_at), cli.time(expires_at, 'never')],
    none: 'You have no API tokens in this organization. Create one: svc tokens create <name>',
  })
}
