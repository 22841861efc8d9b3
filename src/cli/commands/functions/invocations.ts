import { listActivity } from '#contract/activity.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'
import { activityTable } from '../activity/table.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const calls = collect(client, listActivity, { type: 'functions' }, flags.limit)
  const list = await cli.progress('Listing calls', calls)
  showList(cli, flags.output, list, {
    ...activityTable('FUNCTION', new Map(), cli),
    none: 'No function has been called yet.',
  })
}
