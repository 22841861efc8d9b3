import { randomUUID } from 'node:crypto'
import { replyToTicket } from '#contract/tickets.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { readText } from './read-text.ts'

type Args = [alias: string, ticket: string]
type Flags = OutputFlags & LoginFlags & { body?: string; internal?: boolean }

export async function run([alias, ticket_id]: Args, flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const body = await readText(flags.body, cli)
  const input = { alias, ticket_id, body, internal: flags.internal === true }
  const reply = await client.call(replyToTicket, input, { idempotencyKey: randomUUID() })
  const how = reply.internal ? 'internally, which notifies nobody' : 'publicly'
  show(cli, flags.output, reply, () => `Replied to ${ticket_id} ${how}.`)
}
