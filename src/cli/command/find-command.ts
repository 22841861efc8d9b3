import { suggest } from '#contract/core/suggest.ts'
import { COMMON_OPTIONS, type Command, type Option, type RootOption, type Table } from './command.ts'
import { usageError } from './hinted-error.ts'

/** Result of finding the command, before its own options are parsed. `asked` is true if the user asked for help. */
export type Found =
  | { kind: 'help'; path: string; asked: boolean }
  | { kind: 'root'; option: RootOption; rest: readonly string[] }
  | { kind: 'command'; command: Command; rest: readonly string[] }

/** Finds the command named by `argv`. Options before the command are treated as if they followed it. */
export function findCommand(argv: readonly string[], table: Table): Found {
  const rest = argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv]
  const before: string[] = []
  let path = ''
  while (rest.length > 0) {
    const word = rest.shift()!
    if (!word.startsWith('-')) path = step(path, word, table)
    else if (isHelp(word)) return { kind: 'help', path: pathAfterHelp(path, rest, table), asked: true }
    else {
      const option = path === '' ? table.rootOptions.find((rootOption) => isOption(rootOption, word)) : undefined
      if (option) return { kind: 'root', option, rest: [...before, ...rest] }
      const command = defaultOf(path, table)
      if (command?.options?.some((own) => isOption(own, word.split('=')[0]!))) {
        if (wantsHelp(rest)) return { kind: 'help', path: command.path, asked: true }
        return { kind: 'command', command, rest: [...before, word, ...rest] }
      }
      before.push(word, ...takeValue(word, rest))
    }
    const command = table.commands.find((row) => row.path === path)
    if (command && wantsHelp(rest)) return { kind: 'help', path, asked: true }
    if (command) return { kind: 'command', command, rest: [...before, ...rest] }
  }
  const listed = defaultOf(path, table)
  if (listed) return { kind: 'command', command: listed, rest: before }
  return { kind: 'help', path, asked: path === '' }
}

/** Returns the command that runs if only its group is typed, or its group with an option of the command. */
function defaultOf(path: string, { commands }: Table): Command | undefined {
  return path === '' ? undefined : commands.find((row) => row.isDefault && row.path.startsWith(`${path} `))
}

/** Returns the words that can follow `path`, in the order of the table. */
export function childrenOf(path: string, { commands, groups }: Table): { word: string; summary: string }[] {
  const prefix = path === '' ? '' : `${path} `
  const below = commands.filter((row) => row.path.startsWith(prefix)).map((row) => row.path.slice(prefix.length))
  const words = [...new Set(below.map((rest) => rest.split(' ')[0]!))]
  return words.map((word) => {
    const row = [...commands, ...groups].find((entry) => entry.path === prefix + word)
    return { word, summary: row?.summary ?? '' }
  })
}

function step(path: string, word: string, table: Table): string {
  const words = childrenOf(path, table).map((child) => child.word)
  if (words.includes(word)) return path === '' ? word : `${path} ${word}`
  const near = suggest(word, words)
  const full = ['svc', path, word].filter(Boolean).join(' ')
  const next = near ? `Did you mean ${near}?` : `Commands: ${words.join(', ')}.`
  throw usageError(`Unknown command: ${full}. ${next}`)
}

/** Finds the command whose help is wanted, as in `svc --help datasource list`. */
function pathAfterHelp(path: string, rest: readonly string[], table: Table): string {
  const words = rest.filter((word) => !word.startsWith('-'))
  return words.reduce((at, word) => (table.commands.some((row) => row.path === at) ? at : step(at, word, table)), path)
}

/** Whether `--help` or `-h` occurs before `--`. Help is shown even if other options are wrong. */
function wantsHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf('--')
  return (end === -1 ? rest : rest.slice(0, end)).some(isHelp)
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

function isOption({ name, short }: Option, word: string): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`)
}

/** Removes the value of a common option from `rest`. Throws for other options, which must follow their command. */
function takeValue(word: string, rest: string[]): string[] {
  const [name] = word.split('=')
  const option = COMMON_OPTIONS.find(
    (commonOption) =>
      isOption(commonOption, name!) || (!word.startsWith('--') && isOption(commonOption, word.slice(0, 2))),
  )
  if (!option) throw usageError(`Unknown option: ${name}. Options of a command follow the command.`)
  return option.value !== undefined && isOption(option, word) ? rest.splice(0, 1) : []
}
