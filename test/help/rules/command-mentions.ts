import { type Command, type Option, optionsOf, type Table } from '../../../src/cli/command/command.ts'

/** A command of svc that a page mentions, in inline code or in a code block. */
type Mention = { line: number; text: string }

/** Matches `svc` at the start of a line or after a shell operator. */
const COMMAND =
  /(?:^|[|;&(]|\$\(|\bnpx|\bthen|\bdo|`)\s*(?:[A-Z_]+=\S*\s+)*(?:\$\s+)?(?:npx\s+)?svc(?=\s)([^`;&)]*?)(?=\s\|\s|[;&)`]|\s[<>]\s|$)/g

export function findMentions(markdown: string): Mention[] {
  return codeOf(markdown).flatMap(({ line, text }) =>
    [...text.matchAll(COMMAND)].map((match) => ({ line, text: `svc${match[1]}`.trim() })),
  )
}

/** Returns options that are mentioned without a command in inline code. */
export function findOptions(markdown: string): Mention[] {
  return codeOf(markdown).filter(({ text, inline }) => inline && /^--?[a-z]/i.test(text))
}

type Code = Mention & { inline: boolean }

/** Joins lines that end in a backslash with the next one. */
function codeOf(markdown: string): Code[] {
  let inBlock = false
  let line = 0
  return markdown.split(/(?<!\\)\n/).flatMap((raw): Code[] => {
    const at = line + 1
    line += raw.split('\n').length
    if (/^\s*(?:```|~~~)/.test(raw)) inBlock = !inBlock
    const text = raw.replaceAll('\\\n', ' ')
    if (inBlock) return [{ line: at, text, inline: false }]
    return [...text.matchAll(/`([^`]+)`/g)].map((match) => ({ line: at, text: match[1]!, inline: true }))
  })
}

/** Whether `svc` or one of its commands has the option. */
export function isOptionOfAny(text: string, table: Table): boolean {
  const [option] = splitWords(text)
  return isKnown(option!, undefined, table) || table.commands.some((command) => isKnown(option!, [command], table))
}

/** Returns the unknown commands and options in a mention; an empty list if there are none. */
export function faultsOf(text: string, table: Table): string[] {
  const all = splitWords(text).slice(1)
  // Words after `--` belong to another program.
  const words = all.includes('--') ? all.slice(0, all.indexOf('--')) : all
  const names = words.filter((word) => !word.startsWith('-'))
  const options = words.filter((word) => word.startsWith('-') && word !== '-')
  const named = commandsOf(names, table)
  const commands = named.length > 0 ? named : defaultsOf(names, table)
  if (commands.length === 0 && names.length > 0 && !isGroup(names, table)) return [`no command svc ${names.join(' ')}`]
  const matching = commands.length > 0 ? commands : undefined
  return options
    .filter((option) => !isKnown(option, matching, table))
    .map((option) => `no option ${option} in: ${text}`)
}

/** Parses a synopsis: `list|use` names two commands, `[--force]` is an option, `<id>` and quoted text are values. */
function splitWords(text: string): string[] {
  const words = text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  return words
    .map((word) => word.replace(/^\[+|[\],.]+$/g, ''))
    .filter((word) => word !== '' && word !== '…' && word !== '...')
}

function commandsOf(names: readonly string[], table: Table): readonly Command[] {
  return table.commands.filter(({ path }) => {
    const parts = path.split(' ')
    return parts.every((part, place) => (names[place] ?? '').split('|').includes(part))
  })
}

/** Returns the command that runs if only its group is typed. */
function defaultsOf(names: readonly string[], table: Table): readonly Command[] {
  if (!isGroup(names, table)) return []
  return table.commands.filter(({ path, isDefault }) => isDefault && path.startsWith(`${names.join(' ')} `))
}

function isGroup(names: readonly string[], table: Table): boolean {
  return table.groups.some(({ path }) => path === names.join(' '))
}

function isKnown(option: string, commands: readonly Command[] | undefined, table: Table): boolean {
  const spelled = option.split('=')[0]!
  const takes = (options: readonly Option[]) =>
    options.some(
      ({ name, short }) => spelled === `--${name}` || (short !== undefined && spelled.startsWith(`-${short}`)),
    )
  return commands === undefined ? takes(table.rootOptions) : commands.every((command) => takes(optionsOf(command)))
}
