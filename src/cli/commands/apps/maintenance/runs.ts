import { listMaintenanceRuns } from '#contract/maintenance/runs.ts'
import { collect, openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'
import { costText } from './texts.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing runs', collect(client, listMaintenanceRuns, { alias }, flags.limit))
  // A run has a cost only where the operator configured prices. Elsewhere the column would hold nothing.
  const hasCosts = list.items.some(({ cost }) => cost !== null)
  showList(cli, flags.output, list, {
    header: ['EXECUTION', 'STATUS', 'TERMINAL CODE', 'TOKENS', ...(hasCosts ? ['COST'] : []), 'CREATED'],
    row: ({ execution_id, status, terminal_code, tokens_spent, cost, created_at }) => [
      execution_id,
      status,
      terminal_code ?? '-',
      String(tokens_spent),
      ...(hasCosts ? [costText({ cost })] : []),
      cli.time(created_at),
    ],
    none: `The maintenance agent never ran on ${alias}. Run it: ${cli.config.program} apps maintenance run ${alias} --follow`,
  })
}
