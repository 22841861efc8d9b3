import { createDatabase } from '#contract/databases.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'

export async function run([name]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const database = await cli.progress(`Creating ${name}`, client.call(createDatabase, { name }))
  show(cli, flags.output, database, () => `The database ${name} is ${database.state}.`)
  for (const warning of database.warnings) cli.note(`Warning: ${warning}`)
  cli.note(`Print its connection string with: ${cli.config.program} db connect ${name} -q`)
}
