import { listActivity } from '#contract/activity.ts'
import type { Cli } from '../../cli.ts'
import { collect, openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { showList } from '../../output.ts'
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
