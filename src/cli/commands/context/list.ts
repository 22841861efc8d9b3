import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { type Contexts, readContexts } from '../../contexts.ts'
import { addOutputOptions, type Format, toJson, toTable } from '../../output.ts'

type Flags = { output: Format }

export function define(command: Command, cli: Cli): void {
  addOutputOptions(command).action((flags: Flags) => run(flags, cli))
}

async function run({ output }: Flags, cli: Cli): Promise<void> {
  const items = withoutKeys(await readContexts(cli.config.contextsFile))
  if (items.length === 0) cli.note('You have no logins yet. Add one: svc login --api-url <url> --api-key <key>')
  if (output === 'json') return cli.print(toJson({ items, next_cursor: null }))
  if (items.length === 0) return
  const rows = items.map(({ name, api_url, current }) => [current ? '*' : '', name, api_url])
  const [header, ...lines] = toTable(['CURRENT', 'NAME', 'API URL'], rows)
  cli.print([cli.strong(header!), ...lines])
}

function withoutKeys({ current, contexts }: Contexts): { name: string; api_url: string; current: boolean }[] {
  return Object.entries(contexts).map(([name, { api_url }]) => ({ name, api_url, current: name === current }))
}
