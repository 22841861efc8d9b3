import type { OutputFlags } from '../../command/command.ts'
import { readContexts } from '../../login/contexts.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

export async function run(_: [], { output }: OutputFlags, cli: Cli): Promise<void> {
  const { current: currentName, contexts } = await readContexts(cli.config.contextsFile)
  const logins = Object.entries(contexts)
  const items = logins.map(([name, { api_url }]) => ({ name, api_url, current: name === currentName }))
  showList(
    cli,
    output,
    { items, next_cursor: null },
    {
      header: ['CURRENT', 'NAME', 'API URL'],
      row: ({ name, api_url, current }) => [current ? '*' : '', name, api_url],
      none: `You have no logins yet. Add one: ${cli.config.program} login --api-url <url> --api-key-stdin`,
    },
  )
}
