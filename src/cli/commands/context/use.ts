import { readContexts, switchTo, writeContexts } from '../../login/contexts.ts'
import type { Cli } from '../../terminal/cli.ts'

export async function run([name]: [string], _: object, cli: Cli): Promise<void> {
  const { contextsFile, apiUrl, context } = cli.config
  await writeContexts(contextsFile, switchTo(await readContexts(contextsFile), name, cli.config))
  cli.print(`The current context is now ${name}.`)
  if (apiUrl !== undefined) cli.note('SVC_API_URL is set and takes precedence over contexts.')
  else if (context !== undefined) cli.note('SVC_CONTEXT is set and takes precedence over the current context.')
}
