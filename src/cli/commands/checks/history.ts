import { listCheckRuns } from '#contract/checks/checks.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias, check]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing runs', collect(client, listCheckRuns, { alias, check }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['WHEN', 'VERDICT', 'TRIGGER', 'DETAIL'],
    cut: ['DETAIL'],
    row: ({ created_at, verdict, state, trigger, detail }) => [
      cli.time(created_at),
      verdict ?? state,
      trigger,
      printable(detail ?? '-'),
    ],
    none: `The check has not run yet. Run it: svc checks run ${alias} ${printable(JSON.stringify(check))}`,
  })
}
