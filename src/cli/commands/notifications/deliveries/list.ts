import { type Delivery, listDeliveries } from '#contract/notifications/deliveries.ts'
import { collect, openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'
import { destinationOf, statusOf } from './entry.ts'

type Filters = { status?: Delivery['status']; eventType?: string; app?: string; channel?: string }
type Flags = OutputFlags & LoginFlags & Filters & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { status, eventType: event_type, app, channel: channel_id } = flags
  const given = Object.entries({ status, event_type, app, channel_id }).filter(([, value]) => value !== undefined)
  const filters = Object.fromEntries(given)
  const list = await cli.progress('Listing deliveries', collect(client, listDeliveries, filters, flags.limit))
  showList(cli, flags.output, list, {
    header: ['ID', 'WHEN', 'STATUS', 'TO', 'EVENT'],
    cut: ['EVENT', 'TO', 'STATUS'],
    row: (entry) => [entry.id, cli.time(entry.created_at), statusOf(entry), destinationOf(entry), entry.event.subject],
    none: given.length > 0 ? 'No entry matches.' : 'Nothing has happened in your organization yet.',
  })
}
