import { type Command, type Option, optionsOf, type Table } from '../../src/cli/command.ts'

/** What a page says svc can do, in inline code and in blocks of code. */
type Mention = { line: number; text: string }

/** A command begins a line, or follows what joins commands in a shell. */
const COMMAND =
  /(?:^|[|;&(]|\$\(|\bnpx|\bthen|\bdo|`)\s*(?:[A-Z_]+=\S*\s+)*(?:\$\s+)?(?:npx\s+)?svc(?=\s)([^`;&)]*?)(?=\s\|\s|[;&)`]|\s[<>]\s|$)/g

export function findMentions(markdown: string): Mention[] {
  return codeOf(markdown).flatMap(({ line, text }) =>
    [...text.matchAll(COMMAND)].map((match) => ({ line, text: `svc${match[1]}`.trim() })),
  )
}

/** Options that stand alone in inline code: they are some command's, whichever the sentence speaks of. */
export function findOptions(markdown: string): Mention[] {
  return codeOf(markdown).filter(({ text, inline }) => inline && /^--?[a-z]/i.test(text))
}

type Code = Mention & { inline: boolean }

/** A line that ends in a backslash goes on in the next. */
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

/** Whether `svc` or one of its commands takes it. */
export function isOptionOfAny(text: string, table: Table): boolean {
  const [option] = splitWords(text)
  return isKnown(option!, undefined, table) || table.commands.some((command) => isKnown(option!, [command], table))
}

/** What is said of svc that the table does not know, in words; nothing when it is true. */
export function faultsOf(text: string, table: Table): string[] {
  const words = splitWords(text).slice(1)
  const names = words.filter((word) => !word.startsWith('-'))
  const options = words.filter((word) => word.startsWith('-') && word !== '-' && word !== '--')
  const commands = commandsOf(names, table)
  if (commands.length === 0 && names.length > 0 && !isGroup(names, table)) return [`no command svc ${names.join(' ')}`]
  const known = commands.length > 0 ? commands : undefined
  return options.filter((option) => !isKnown(option, known, table)).map((option) => `no option ${option} in: ${text}`)
}

/** `list|use` names both, `[--force]` is an option, `<id>` and what stands in quotes are values. */
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
