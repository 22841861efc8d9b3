import { readConnection } from '#contract/databases.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

type Flags = OutputFlags & LoginFlags & { quiet?: boolean }

export async function run([name]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const connection = await cli.progress(`Opening ${name}`, client.call(readConnection, { name }))
  show(cli, flags.output, connection, () => printable(connection.connection_string))
  if (!flags.quiet) cli.note('This contains the password. Do not put it into files or chats.')
}
