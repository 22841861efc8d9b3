import type { Cli } from './cli.ts'
import { readContexts, removeContext, writeContexts } from './contexts.ts'

/** Takes a login off this machine and says which one commands take now. */
export async function forget(name: string, cli: Cli): Promise<void> {
  const file = cli.config.contextsFile
  const before = await readContexts(file)
  const after = removeContext(before, name)
  await writeContexts(file, after)
  cli.print(`The login ${name} is gone from this machine.`)
  const left = Object.keys(after.contexts)
  if (after.current === null && left.length > 0) {
    cli.note(`No context is current now. Choose one of ${left.join(', ')}: svc context use <name>`)
  }
}
