import { ERRORS, ServiceError } from '#contract/core/errors.ts'
import type { Typed } from './call/suggest-name.ts'
import type { Table } from './command/command.ts'
import type { Config } from './command/config.ts'
import { type Found, findCommand } from './command/find-command.ts'
import { helpFor } from './command/help.ts'
import { parse } from './command/parse.ts'
import { type Cli, createCli, type Streams } from './terminal/cli.ts'
import { reportError } from './terminal/exit.ts'

/** Runs one command line and returns its exit code. */
export async function run(argv: readonly string[], table: Table, config: Config, streams: Streams): Promise<number> {
  const isForProgram = asksForJson(argv)
  const cli = createCli(config, table, streams, { paged: !argv.includes('--no-pager'), isForProgram })
  let found: Found | undefined
  try {
    found = findCommand(argv, table)
    return await execute(found, cli)
  } catch (error) {
    await cli.flush()
    const command = found?.kind === 'command' ? found.command : undefined
    return reportError(error, isForProgram ? 'json' : 'text', cli, command)
  }
}

async function execute(found: Found, cli: Cli): Promise<number> {
  if (found.kind === 'help') return help(found, cli)
  if (found.kind === 'root') {
    const option = await found.option.load!()
    await option.run([], { output: 'table' }, cli)
    return 0
  }
  const { args, flags } = parse(found.command, found.rest)
  const command = await found.command.load()
  try {
    await command.run(args, flags, cli)
  } catch (error) {
    throw await explained(error, { command: found.command, args, flags }, cli)
  }
  await cli.flush()
  return 0
}

/** Loads the code for an error that names something only where it is needed, as commands seldom fail so. */
async function explained(error: unknown, typed: Typed, cli: Cli): Promise<unknown> {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') return error
  const { withSuggestion } = await import('./call/suggest-name.ts')
  return withSuggestion(error, typed, cli)
}

/** Prints help to stdout if the user asked for it. For an incomplete command it goes to stderr, with exit code 5. */
function help({ path, asked }: { path: string; asked: boolean }, cli: Cli): number {
  const columns = Math.min(cli.columns ?? 100, 120)
  const text = helpFor(path, cli.table, { strong: cli.strong, columns })
  if (asked) cli.print(text)
  else cli.note(text)
  return asked ? 0 : ERRORS.INVALID_REQUEST.exit
}

/** Whether JSON was asked for. Looks at the raw words, because parse errors must be printed as JSON too. */
function asksForJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, place) =>
      ['--json', '-ojson', '--output=json'].includes(word) ||
      (word === 'json' && ['-o', '--output'].includes(argv[place - 1] ?? '')),
  )
}
