import { listPipelineRuns } from '#contract/pipelines.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias, name]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing runs', collect(client, listPipelineRuns, { alias, name }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['RUN', 'STATE', 'TRIGGER', 'SCHEDULED', 'CREATED', 'ENDED', 'REASON'],
    cut: ['REASON'],
    row: ({ id, state, trigger, scheduled_at, created_at, ended_at, reason }) => [
      id,
      state,
      trigger,
      cli.time(scheduled_at),
      cli.time(created_at),
      cli.time(ended_at),
      reason ?? '-',
    ],
    none: `${name} has not run yet. Run it: svc pipelines run ${alias} ${name}`,
  })
}
