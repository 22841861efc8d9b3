import type { Command } from 'commander'
import { readConnection } from '#contract/databases.ts'
import { connect } from '../../api.ts'
import type { Cli } from '../../cli.ts'
import { requireLogin } from '../../credentials.ts'

type Flags = { quiet?: boolean }

export function define(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'a managed database of your organization')
    .option('-q, --quiet', 'print the connection string and nothing else')
    .description('Print the connection string of a managed database. It holds the password; reading it is on record.')
    .addHelpText('after', '\nExample:\n  psql "$(svc db connect handbook -q)"')
    .action((name: string, flags: Flags) => run(name, flags, cli))
}

async function run(name: string, { quiet }: Flags, cli: Cli): Promise<void> {
  const { connection_string } = await connect(await requireLogin(cli.config)).call(readConnection, { name })
  cli.print(connection_string)
  if (!quiet) cli.note('This holds the password: keep it out of files and chats.')
}
