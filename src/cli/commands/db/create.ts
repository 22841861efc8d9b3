import { createDatabase } from '#contract/databases.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

export async function run([name]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const database = await cli.progress(`Creating ${name}`, client.call(createDatabase, { name }))
  show(cli, flags.output, database, () => `The database ${name} is ${database.state}.`)
  for (const warning of database.warnings) cli.note(`Warning: ${warning}`)
  cli.note(`Print its connection string with: ${cli.config.program} db connect ${name} -q`)
}
