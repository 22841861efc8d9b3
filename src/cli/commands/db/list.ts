import { type Database, listDatabases } from '#contract/databases.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing databases', collect(client, listDatabases, {}, flags.limit))
  showList(cli, flags.output, list, {
    header: ['NAME', 'STATE', 'DATA SOURCE', 'CREATED'],
    row: (database) => [database.name, database.state, sourceOf(database), cli.time(database.created_at)],
    none: 'There are no managed databases yet. Create one: svc db create <name>',
  })
}

function sourceOf({ data_source }: Database): string {
  if (!data_source?.enabled) return 'off'
  return data_source.exposed ? 'exposed' : 'on'
}
