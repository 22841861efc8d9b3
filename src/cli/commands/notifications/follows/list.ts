import { listFollows } from '#contract/notifications/follows.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'

export async function run(_: [], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing follows', client.call(listFollows, {}))
  showList(cli, flags.output, list, {
    header: ['APP', 'CATEGORIES', 'FREQUENCY', 'LAST EVENT', 'OUTCOME'],
    cut: ['OUTCOME', 'CATEGORIES'],
    row: ({ app, categories, frequency, last_outcome }) => [
      app.alias ?? app.id,
      categories.join(' '),
      frequency,
      last_outcome?.event_type ?? 'none yet',
      last_outcome === null ? '' : outcome(last_outcome),
    ],
    none: 'You follow no apps. Follow one with: svc notifications follows set',
  })
}

function outcome({ status, reason }: { status: string; reason: string | null }): string {
  const words = status.replace('_', ' ')
  return reason === null ? words : `${words}: ${reason}`
}
