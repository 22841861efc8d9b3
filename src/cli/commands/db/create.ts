import type { Command } from 'commander'
import { createDatabase } from '#contract/databases.ts'
import { connect } from '../../api.ts'
import type { Cli } from '../../cli.ts'
import { requireLogin } from '../../credentials.ts'

export function define(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'lower-case letters, digits and underscores, beginning with a letter')
    .description('Create a managed database: Postgres with pgvector, with a role and a password of its own.')
    .addHelpText('after', '\nExample:\n  svc db create handbook\n  psql "$(svc db connect handbook -q)"')
    .action((name: string) => run(name, cli))
}

async function run(name: string, cli: Cli): Promise<void> {
  const { state } = await connect(await requireLogin(cli.config)).call(createDatabase, { name })
  cli.print(`${name} is ${state}`)
  cli.note(`Print its connection string with: svc db connect ${name} -q`)
}
