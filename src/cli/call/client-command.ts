import type { Client } from '#contract/core/client.ts'
import type { Flags, LoginFlags, OutputFlags } from '../command/command.ts'
import type { Cli } from '../terminal/cli.ts'
import { Unsuccessful } from '../terminal/exit.ts'
import { show } from '../terminal/output.ts'
import { openClient } from './client.ts'

/** Arguments of a command that declares no type for them. */
export type Words = readonly [string, string, string]
export type Lines = string | readonly string[]
/** The module that a row of the table of commands loads. */
export type Runnable = { readonly run: (args: readonly string[], flags: Flags, cli: Cli) => Promise<void> }

type Result = {
  /** Printed as JSON or YAML, if the flags ask for that. Otherwise `text` is printed. */
  readonly document: unknown
  readonly text: Lines
  /** Hints that follow on stderr. */
  readonly notes?: readonly string[]
  /** The command worked, but what it reports is a failure, such as a failed deploy. */
  readonly isFailure?: boolean
}

type Act<A, F> = (client: Client, args: A, flags: F, cli: Cli) => Promise<Result>

/** Makes a command that opens a client with the login, and prints the result of what it does with it. */
export function clientCommand<A = Words, F = object>(act: Act<A, F>): Runnable {
  const run = async (args: A, flags: F & LoginFlags & OutputFlags, cli: Cli) => {
    const client = await openClient(flags, cli)
    const { document, text, notes = [], isFailure = false } = await act(client, args, flags, cli)
    show(cli, flags.output, document, () => text)
    for (const line of notes) cli.note(line)
    if (isFailure) throw new Unsuccessful()
  }
  return { run: run as unknown as Runnable['run'] }
}

/** Asks for confirmation. Most commands ask nothing and readline takes milliseconds to load, so it is loaded only here. */
export async function askToConfirm(cli: Cli, yes: boolean | undefined, what: string, answer?: string): Promise<void> {
  const { confirm } = await import('../terminal/prompt.ts')
  await confirm(cli, yes, what, answer)
}
