import { changeEnvironment } from '#contract/apps/environment.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { askSecret } from '../../../terminal/prompt.ts'

type Args = [alias: string, ...variables: string[]]

/** Prints names only: a value must not appear on a screen or in the log of a script. */
export async function run([alias, ...variables]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const set = await readValues(cli, variables)
  const environment = await client.call(changeEnvironment, { alias, set })
  show(cli, flags.output, environment, () => `Set ${Object.keys(set).join(', ')} of ${alias}.`)
  cli.note('It takes effect when the app is next deployed or started again.')
}

async function readValues(cli: Cli, variables: readonly string[]): Promise<Record<string, string>> {
  const bare = variables.filter((variable) => !variable.includes('='))
  if (bare.length > 1 && !cli.interactive) {
    throw new ServiceError(
      'INVALID_REQUEST',
      `Standard input can give one value, but ${bare.join(' and ')} have none. Set them one after the other.`,
    )
  }
  const values = new Map<string, string>()
  for (const variable of variables) {
    const at = variable.indexOf('=')
    const name = at === -1 ? variable : variable.slice(0, at)
    if (values.has(name)) throw new ServiceError('INVALID_REQUEST', `${name} is given more than once.`)
    values.set(name, at === -1 ? await readSecret(cli, name) : variable.slice(at + 1))
  }
  return Object.fromEntries(values)
}

/** Drops one line end, because files and `echo` end with one. */
async function readSecret(cli: Cli, name: string): Promise<string> {
  if (cli.interactive) return askSecret(cli, `Value of ${name}: `)
  const value = (await cli.readStdin()).replace(/\r?\n$/, '')
  if (value !== '') return value
  throw new ServiceError(
    'INVALID_REQUEST',
    `No value for ${name} on standard input. Write ${name}= for an empty value.`,
  )
}
