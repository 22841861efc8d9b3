import { listSlimSources, type SlimSource } from '#contract/data-sources/sources.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

const NONE_YET = `There are no data sources that you may ask yet.
An admin of your organization can expose one to your role, or give you the role it needs.`

export async function run(_: [], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing data sources', client.call(listSlimSources, {}))
  showList(cli, flags.output, list, {
    header: ['ID', 'NAME', 'MIN ROLE', 'FILTERS', 'DESCRIPTION'],
    cut: ['DESCRIPTION', 'NAME'],
    row: toRow,
    none: NONE_YET,
  })
}

function toRow({ id, name, min_role, filters, description }: SlimSource): string[] {
  const columns = Object.entries(filters).map(([column, type]) => `${column}:${type}`)
  return [id, name, min_role, columns.join(', ') || '-', description]
}
