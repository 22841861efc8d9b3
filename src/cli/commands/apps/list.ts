import { listApps } from '#contract/apps/apps.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'
import { stateOf } from './state.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing apps', collect(client, listApps, {}, flags.limit))
  showList(cli, flags.output, list, {
    header: ['ALIAS', 'STATE', 'NAME', 'ADDRESS'],
    cut: ['NAME'],
    row: (app) => [app.alias, stateOf(app), app.name, app.url ?? '-'],
    none: 'There are no apps yet. Create one: svc apps create <alias> --start <command>',
  })
}
