import { listActivity } from '#contract/activity.ts'
import type { Cli } from '../../cli.ts'
import { collect, openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { showList } from '../../output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const calls = collect(client, listActivity, { type: 'functions' }, flags.limit)
  const list = await cli.progress('Listing calls', calls)
  showList(cli, flags.output, list, {
    header: ['WHEN', 'FUNCTION', 'BY', 'FROM', 'STATUS', 'MS', 'BYTES'],
    cut: ['BY'],
    row: (call) => [
      cli.time(call.asked_at),
      call.target,
      call.user_id ?? call.principal.id,
      call.source,
      ...[call.status, call.duration_ms, call.answer_bytes].map((value) => value?.toString() ?? '-'),
    ],
    none: 'No function has been called yet.',
  })
}
