import { parseArgs } from 'node:util'
import { suggest } from '#contract/core/suggest.ts'
import { type Argument, type Command, camelCase, type Flags, type Option, optionsOf } from './command.ts'
import { usageError } from './hinted-error.ts'

type Parsed = { args: string[]; flags: Flags }

/** Parses arguments and options as the command declares them. Throws INVALID_REQUEST for anything else. */
export function parse(command: Command, rest: readonly string[]): Parsed {
  const options = optionsOf(command)
  const { tokens } = parseArgs({
    args: [...rest],
    options: Object.fromEntries(options.map(toParseOption)),
    strict: false,
    tokens: true,
  })
  const flags: Record<string, unknown> = {}
  const args: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind === 'option') read(flags, find(options, token, command), token)
  }
  checkArguments(command.arguments ?? [], args)
  const output = flags.json ? 'json' : (flags.output ?? 'table')
  return { args, flags: { ...flags, ...(command.output !== false && { output }) } as Flags }
}

type ParsedToken = { rawName: string; value: string | undefined; inlineValue: boolean | undefined }

function toParseOption({ name, short, value }: Option) {
  return [name, { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) }] as const
}

function find(
  options: readonly Option[],
  { name, rawName }: { name: string; rawName: string },
  command: Command,
): Option {
  const option = options.find((candidate) => candidate.name === name)
  if (option) return option
  const program = command.arguments?.at(-1)?.passedTo
  if (program !== undefined) {
    const usage = `svc ${command.path} <${command.arguments![0]!.name}> -- ${rawName} …`
    throw usageError(`Unknown option: ${rawName}. Options of ${program} come after --: ${usage}`)
  }
  const near = suggest(
    rawName,
    options.map((candidate) => `--${candidate.name}`),
  )
  throw usageError(`Unknown option: ${rawName}.${near ? ` Did you mean ${near}?` : ''}`)
}

function read(flags: Record<string, unknown>, option: Option, given: ParsedToken): void {
  const key = camelCase(option.name)
  if (option.value === undefined) {
    if (given.inlineValue) throw usageError(`${given.rawName} takes no value.`)
    flags[key] = true
    return
  }
  const value = check(option, given)
  flags[key] = option.repeat ? [...((flags[key] as unknown[] | undefined) ?? []), value] : value
}

function check(option: Option, { rawName, value, inlineValue }: ParsedToken): string | number {
  if (value === undefined) throw usageError(`${rawName} needs a value: ${rawName} <${option.value}>.`)
  if (!inlineValue && /^-./.test(value)) {
    throw usageError(`${rawName} needs a value. Write a value that begins with a dash as --${option.name}=${value}.`)
  }
  if (option.choices && !option.choices.includes(value)) {
    throw usageError(`${rawName} must be one of ${option.choices.join(', ')}, not ${value}.`)
  }
  return option.range ? toInteger(rawName, value, option.range) : value
}

function toInteger(rawName: string, text: string, [min, max]: readonly [number, number]): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw usageError(`${rawName} must be a whole number from ${min} to ${max}, not ${text}.`)
}

function checkArguments(declaredArguments: readonly Argument[], given: readonly string[]): void {
  const missing = declaredArguments.slice(given.length).find((argument) => !argument.optional)
  if (missing) throw usageError(`<${missing.name}> is missing: ${missing.summary}.`)
  if (given.length > declaredArguments.length && !declaredArguments.at(-1)?.repeat) {
    const hint = declaredArguments.length > 0 ? ' Put quotes around text with spaces.' : ''
    throw usageError(`Unexpected argument: ${given[declaredArguments.length]}.${hint}`)
  }
  for (const [place, { name, choices }] of declaredArguments.entries()) {
    const value = given[place]
    if (choices && value !== undefined && !choices.includes(value)) {
      throw usageError(`<${name}> must be one of ${choices.join(', ')}, not ${value}.`)
    }
  }
}
