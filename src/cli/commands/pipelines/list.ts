import { listPipelines, type Pipeline } from '#contract/pipelines.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing pipelines', collect(client, listPipelines, { alias }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['NAME', 'SCHEDULE', 'WORKER', 'STATE', 'LAST RUN', 'NEXT RUN'],
    cut: ['SCHEDULE'],
    row: (pipeline) => [
      pipeline.name,
      scheduleOf(pipeline),
      pipeline.is_served ? 'connected' : 'none',
      pipeline.enabled ? (pipeline.state ?? '-') : 'disabled',
      pipeline.last_run ? `${pipeline.last_run.state} ${cli.time(pipeline.last_run.created_at)}` : '-',
      cli.time(pipeline.next_run_at),
    ],
    none: `${alias} has no pipelines. Workers declare them when they connect.`,
  })
}

function scheduleOf({ schedule, timezone }: Pipeline): string {
  return schedule === null ? 'by hand' : `${schedule} (${timezone})`
}
