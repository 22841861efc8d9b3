import type { Cli } from '../terminal/cli.ts'
import { readContexts, removeContext, writeContexts } from './contexts.ts'

/** Removes a login from this machine and prints which context is current now. */
export async function forget(name: string, cli: Cli): Promise<void> {
  const file = cli.config.contextsFile
  const before = await readContexts(file)
  const after = removeContext(before, name, cli.config)
  await writeContexts(file, after)
  cli.print(`Removed the login ${name} from this machine.`)
  const left = Object.keys(after.contexts)
  if (after.current === null && left.length > 0) {
    cli.note(
      `There is no current context now. Choose one of ${left.join(', ')}: ${cli.config.program} context use <name>`,
    )
  }
}
