import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'

const TAKES_EFFECT = ['It takes effect when the app is next deployed or started again.']

export const list = listCommand(readEnvironment, {
  input: ([alias]) => ({ alias }),
  header: ['NAME', 'CHANGED', 'BY'],
  row: ({ name, updated_at, updated_by }, cli) => [name, cli.time(updated_at), updated_by],
  none: ([alias], _, { config }) =>
    `${alias} has no environment variables. Set one: ${config.program} apps env set ${alias} NAME=value`,
})

/** Prints names only: a value must not appear on a screen or in the log of a script. */
export const set = callCommand(changeEnvironment, {
  input: async ([alias, ...variables]: [string, ...string[]], _, __, cli) => ({
    alias,
    set: await readValues(cli, variables),
  }),
  text: (_, [alias, ...variables]) => `Set ${variables.map(nameOf).join(', ')} of ${alias}.`,
  notes: () => TAKES_EFFECT,
})

export const unset = callCommand(changeEnvironment, {
  input: ([alias, ...names]: [string, ...string[]]) => ({ alias, remove: names }),
  text: (_, [alias, ...names]) => `Removed ${names.join(', ')} of ${alias}.`,
  notes: () => TAKES_EFFECT,
})

async function readValues(cli: Cli, variables: readonly string[]): Promise<Record<string, string>> {
  const bare = variables.filter((variable) => !variable.includes('='))
  if (bare.length > 1 && !cli.interactive) {
    throw usageError(
      `Standard input can give one value, but ${bare.join(' and ')} have none. Set them one after the other.`,
    )
  }
  const values = new Map<string, string>()
  for (const variable of variables) {
    const name = nameOf(variable)
    if (values.has(name)) throw usageError(`${name} is given more than once.`)
    values.set(name, name === variable ? await readSecret(cli, name) : variable.slice(name.length + 1))
  }
  return Object.fromEntries(values)
}

function nameOf(variable: string): string {
  return variable.split('=', 1)[0]!
}

/** Drops one line end, because files and `echo` end with one. */
async function readSecret(cli: Cli, name: string): Promise<string> {
  if (cli.interactive) return (await import('../../../terminal/prompt.ts')).askSecret(cli, `Value of ${name}: `)
  const value = (await cli.readStdin()).replace(/\r?\n$/, '')
  if (value !== '') return value
  throw usageError(`No value for ${name} on standard input. Write ${name}= for an empty value.`)
}
