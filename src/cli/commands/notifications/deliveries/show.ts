import type { z } from 'zod'
import { readDelivery } from '#contract/notifications/deliveries.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { toPairs, toTable } from '../../../terminal/table.ts'
import { destinationOf, statusOf } from './entry.ts'

type Entry = z.infer<(typeof readDelivery)['output']>

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const entry = await client.call(readDelivery, { id })
  show(cli, flags.output, entry, () => [...toPairs(describe(entry, cli)), ...attempts(entry, cli)])
}

function describe(entry: Entry, cli: Cli): [string, string][] {
  const { event, next_attempt_at } = entry
  return [
    ['Event', event.type],
    ['Subject', event.subject],
    ['Happened', cli.time(event.occurred_at)],
    ['To', destinationOf(entry)],
    ['Status', statusOf(entry)],
    ...(next_attempt_at === null ? [] : [['Next attempt', cli.time(next_attempt_at)] satisfies [string, string]]),
    ...(event.link === null ? [] : [['Link', event.link] satisfies [string, string]]),
  ]
}

function attempts({ tries }: Entry, cli: Cli): string[] {
  if (tries.length === 0) return []
  const rows = tries.map(({ attempt, started_at, outcome, reason, status }) => [
    String(attempt),
    cli.time(started_at),
    outcome ?? 'under way',
    reason ?? '',
    status === null ? '' : String(status),
  ])
  const { columns, strong } = cli
  return ['', ...toTable(['ATTEMPT', 'STARTED', 'OUTCOME', 'REASON', 'ANSWER'], rows, { columns, strong })]
}
