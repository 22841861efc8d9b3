import { randomUUID } from 'node:crypto'
import { fileTicket } from '#contract/tickets.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { readText } from './read-text.ts'

type Args = [alias: string, title: string]
type Flags = OutputFlags & LoginFlags & { body?: string }

export async function run([alias, title]: Args, flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const body = await readText(flags.body, cli)
  const ticket = await client.call(fileTicket, { alias, title, body }, { idempotencyKey: randomUUID() })
  show(cli, flags.output, ticket, () => `Filed ${ticket.id} on ${alias}.`)
}
