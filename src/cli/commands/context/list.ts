import type { OutputFlags } from '../../command/command.ts'
import { type Contexts, readContexts } from '../../login/contexts.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

export async function run(_: [], { output }: OutputFlags, cli: Cli): Promise<void> {
  const items = withoutKeys(await readContexts(cli.config.contextsFile))
  showList(
    cli,
    output,
    { items, next_cursor: null },
    {
      header: ['CURRENT', 'NAME', 'API URL'],
      row: ({ name, api_url, current }) => [current ? '*' : '', name, api_url],
      none: 'You have no logins yet. Add one: svc login --api-url <url> --api-key-stdin',
    },
  )
}

function withoutKeys({ current, contexts }: Contexts): { name: string; api_url: string; current: boolean }[] {
  return Object.entries(contexts).map(([name, { api_url }]) => ({ name, api_url, current: name === current }))
}
