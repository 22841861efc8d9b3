import { readEnvironment } from '#contract/apps/environment.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'

export async function run([alias]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await client.call(readEnvironment, { alias })
  showList(cli, flags.output, list, {
    header: ['NAME', 'CHANGED', 'BY'],
    row: ({ name, updated_at, updated_by }) => [name, cli.time(updated_at), updated_by],
    none: `${alias} has no environment variables. Set one: svc apps env set ${alias} NAME=value`,
  })
}
