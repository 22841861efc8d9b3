import type { z } from 'zod'
import { type Delivery, listDeliveries, readDelivery, resendDelivery } from '#contract/notifications/deliveries.ts'
import { askToConfirm, clientCommand } from '../../../call/client-command.ts'
import { namePeople } from '../../../call/name-people.ts'
import { listCommand } from '../../../call/operation-command.ts'
import type { ConfirmFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { statusText } from '../../../terminal/status-text.ts'
import { type Pair, toPairs, toTable } from '../../../terminal/table.ts'

type Filters = { status?: Delivery['status']; eventType?: string; app?: string; channel?: string }
type Entry = z.infer<(typeof readDelivery)['output']>

const MAY_ARRIVE_TWICE =
  'This sends the message again. It may arrive twice, because the former one was or may have been delivered'

export const list = listCommand(listDeliveries, {
  label: 'Listing deliveries',
  input: (_, flags: Filters) => given(flags),
  header: ['ID', 'WHEN', 'STATUS', 'TO', 'EVENT'],
  cut: ['EVENT', 'TO', 'STATUS'],
  person: ({ destination }) => destination?.user_id ?? null,
  row: (entry, cli, nameOf) => [
    entry.id,
    cli.time(entry.created_at),
    statusText(entry),
    destinationOf(entry, nameOf),
    entry.event.subject,
  ],
  none: (_, flags) =>
    Object.keys(given(flags)).length > 0 ? 'No entry matches.' : 'Nothing has happened in your organization yet.',
})

export const show = clientCommand(async (client, [id], _, cli) => {
  const entry = await client.call(readDelivery, { id })
  const nameOf = await namePeople(client, [entry.destination?.user_id ?? null])
  return { document: entry, text: [...toPairs(describe(entry, nameOf, cli)), ...attempts(entry, cli)] }
})

export const resend = clientCommand(async (client, [id], { yes }: ConfirmFlags, cli) => {
  const may_arrive_twice = mayArriveTwice(await client.call(readDelivery, { id }))
  await askToConfirm(cli, yes, may_arrive_twice ? MAY_ARRIVE_TWICE : 'This sends the message again')
  const answer = await client.call(resendDelivery, { id, may_arrive_twice })
  if (may_arrive_twice) cli.note('Warning: this message may arrive twice.')
  const notes = [`Show what became of it with: ${cli.config.program} notifications deliveries show ${id}`]
  return { document: answer, text: `The message is sent again as ${answer.delivery_id}.`, notes }
})

function given({ status, eventType: event_type, app, channel: channel_id }: Filters) {
  const filters = Object.entries({ status, event_type, app, channel_id })
  return Object.fromEntries(filters.filter(([, value]) => value !== undefined))
}

function destinationOf({ destination }: Delivery, nameOf: (id: string) => string): string {
  if (destination === null) return 'nobody'
  const { kind, label, user_id } = destination
  return `${kind} ${label ?? (user_id === null ? '' : nameOf(user_id))}`.trimEnd()
}

function describe(entry: Entry, nameOf: (id: string) => string, cli: Cli): Pair[] {
  const { event, next_attempt_at } = entry
  return [
    ['Event', event.type],
    ['Subject', event.subject],
    ['Happened', cli.time(event.occurred_at)],
    ['To', destinationOf(entry, nameOf)],
    ['Status', statusText(entry)],
    ['Next attempt', next_attempt_at && cli.time(next_attempt_at)],
    ['Link', event.link],
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

/** False only for a message that provably was not delivered. */
function mayArriveTwice({ state, reason }: Delivery): boolean {
  return state === 'sent' || reason === 'outcome_unknown'
}
