import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Cli } from './cli.ts'
import { COMMANDS, type Entry } from './commands.ts'

/** The program, with only those commands loaded that `argv` names. */
export async function buildProgram(argv: readonly string[], cli: Cli): Promise<Command> {
  const program = new Command('svc')
    .description('Ask your company data, run your apps and keep watch over them.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('Add --help to the command to see what it takes.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'svc:')) })
    .exitOverride()
  await addCommands(program, COMMANDS, argv, cli)
  return program
}

async function addCommands(parent: Command, entries: readonly Entry[], argv: readonly string[], cli: Cli) {
  for (const entry of entries) {
    const command = parent.command(entry.name).summary(entry.summary).description(entry.summary)
    if (!argv.includes(entry.name)) continue
    if ('commands' in entry) await addCommands(command, entry.commands, argv, cli)
    else (await entry.load()).define(command, cli)
  }
}
