import type { Argument, Command, Option } from './command.ts'

/**
 * Returns the option or argument that a person typed for a field of the API, such as `--target` for `definition.target`
 * or `--filter colour` for `filters.colour`. Returns the path itself if the command has none for it.
 */
export function typedName(path: string, { arguments: args = [], options = [], path: command }: Command): string {
  // `svc api` sends fields that the person wrote.
  if (command === 'api') return path
  const words = path.split('.')
  for (const [place, word] of words.entries()) {
    const option = options.find((row) => fieldOf(row) === word)
    const argument = args.find((row) => fieldOf(row) === word)
    const name = option ? `--${option.name}` : argument && `<${argument.name}>`
    if (name === undefined) continue
    // A number is the place in a list, which has no name on the command line.
    return [name, ...words.slice(place + 1).filter((rest) => !/^\d+$/.test(rest))].join(' ')
  }
  return path
}

function fieldOf({ name, field }: Argument | Option): string {
  return field ?? name.replaceAll('-', '_')
}
