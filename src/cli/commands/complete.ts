import { openClient } from '../call/client.ts'
import { READERS } from '../call/names.ts'
import type { Completed } from '../command/command.ts'
import { readContexts } from '../login/contexts.ts'
import type { Cli } from '../terminal/cli.ts'

const TIMEOUT_SECONDS = 2

/** Prints the names. A failure prints nothing, because an error would appear in the middle of the typed line. */
export async function run([kind]: [Completed], _: object, cli: Cli): Promise<void> {
  const names = await read(kind, cli).catch(() => [])
  // Names with other characters cannot be offered without quotes, and none that a command takes has any.
  const safe = names.filter((name) => /^[\w.:@[\]-]+$/.test(name))
  if (safe.length > 0) cli.print(safe)
}

async function read(kind: Completed, cli: Cli): Promise<string[]> {
  if (kind === 'contexts') return Object.keys((await readContexts(cli.config.contextsFile)).contexts)
  return await READERS[kind](
    await openClient({ timeout: TIMEOUT_SECONDS }, { ...cli, note: () => {}, isForProgram: true }),
  )
}
