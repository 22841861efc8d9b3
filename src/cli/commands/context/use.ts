import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { readContexts, switchTo, writeContexts } from '../../contexts.ts'

export function define(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'name of the login, as `svc context list` shows it')
    .action((name: string) => run(name, cli))
}

async function run(name: string, cli: Cli): Promise<void> {
  const file = cli.config.contextsFile
  await writeContexts(file, switchTo(await readContexts(file), name))
  cli.print(`The current context is now ${name}.`)
  if (cli.config.apiUrl !== undefined) cli.note('SVC_API_URL is set and goes before any context.')
}
