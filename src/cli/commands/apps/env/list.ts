import { readEnvironment } from '#contract/apps/environment.ts'
import type { Cli } from '../../../cli.ts'
import { openClient } from '../../../client.ts'
import type { LoginFlags, OutputFlags } from '../../../command.ts'
import { showList } from '../../../output.ts'

export async function run([alias]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await client.call(readEnvironment, { alias })
  showList(cli, flags.output, list, {
    header: ['NAME', 'CHANGED', 'BY'],
    row: ({ name, updated_at, updated_by }) => [name, cli.time(updated_at), updated_by],
    none: `${alias} has no environment variables. Set one: svc apps env set ${alias} NAME=value`,
  })
}
