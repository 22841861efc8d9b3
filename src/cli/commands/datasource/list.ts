import type { Command } from 'commander'
import { listSlimSources, type SlimSource } from '#contract/data-sources.ts'
import { connect } from '../../api.ts'
import type { Cli } from '../../cli.ts'
import { requireLogin } from '../../credentials.ts'
import { addOutputOptions, type Format, toJson, toTable } from '../../output.ts'

type Flags = { output: Format }

const HEADER = ['ID', 'NAME', 'MIN ROLE', 'FILTERS', 'DESCRIPTION']

const NONE_YET = `There is no data source you may ask yet.
An admin of your organization can expose one to your role, or give you the role it needs.`

export function define(command: Command, cli: Cli): void {
  addOutputOptions(command)
    .description('List the data sources you may ask, with the columns each can be filtered on.')
    .action((flags: Flags) => run(flags, cli))
}

async function run({ output }: Flags, cli: Cli): Promise<void> {
  const list = await connect(await requireLogin(cli.config)).call(listSlimSources, {})
  if (list.items.length === 0) cli.note(NONE_YET)
  if (output === 'json') return cli.print(toJson(list))
  if (list.items.length === 0) return
  const [header, ...lines] = toTable(HEADER, list.items.map(toRow))
  cli.print([cli.strong(header!), ...lines])
}

function toRow({ id, name, min_role, filters, description }: SlimSource): string[] {
  const columns = Object.entries(filters).map(([column, type]) => `${column}:${type}`)
  return [id, name, min_role, columns.join(', ') || '-', description]
}
