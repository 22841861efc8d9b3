import type { Config } from './config.ts'

/** Names of things that shell completion looks up: contexts on this machine, the others in the instance. */
export const COMPLETED = ['agents', 'apps', 'contexts', 'databases', 'sources', 'tokens'] as const
export type Completed = (typeof COMPLETED)[number]
/** Names of things within the app that the first argument names. A refusal of one is followed by the nearest other. */
export type NamedInApp = 'checks' | 'functions' | 'pipelines'

/** A positional argument. Optional arguments come after all required ones. */
export type Argument = {
  readonly name: string
  readonly summary: string
  /** The field of the API that it sets, if that has another name. */
  readonly field?: string
  readonly choices?: readonly string[]
  readonly completes?: Completed
  readonly inApp?: NamedInApp
  readonly optional?: true
  /** Takes all remaining words, at least one. Only for the last argument. */
  readonly repeat?: true
  /** The program that it is passed to. Options of that program follow `--`. */
  readonly passedTo?: string
}

export type Option = {
  /** `top-k` is typed as `--top-k` and passed to the command as `topK`. */
  readonly name: string
  readonly short?: string
  readonly summary: string
  /** The field of the API that it sets, if that has another name. */
  readonly field?: string
  /** Name of the value in the help text. An option without it is a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly completes?: Completed
  /** Smallest and largest whole number that is accepted. */
  readonly range?: readonly [number, number]
  /** The option can be repeated, and its values are passed as a list. */
  readonly repeat?: true
}

export type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Each command narrows the types of its arguments and flags to what its row in the table declares. */
type CommandModule = { run(args: readonly string[], flags: Flags, cli: Cli): Promise<void> }

/** One command as data. Help and completion are generated from it. Its code is loaded only when it runs. */
export type Command = {
  /** Words after `svc`: `datasource query`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** The command also runs if only its group is typed: `svc members` for `svc members list`. */
  readonly isDefault?: true
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  /** False for a command that prints no data, and so does not take `-o` and `--json`. */
  readonly output?: false
  /** False for a command that calls no instance with a login, and so does not take `--context` and `--timeout`. */
  readonly login?: false
  /** The command asks for confirmation and takes `--yes`. */
  readonly confirms?: true
  readonly examples: readonly [string, ...string[]]
  readonly load: () => Promise<CommandModule>
}

/** A word that precedes several commands, such as `db`. */
type Group = { readonly path: string; readonly summary: string }

/** An option of `svc` itself, such as `--version`. It runs its module and exits. */
export type RootOption = Option & { readonly load?: () => Promise<CommandModule> }

export type Table = {
  readonly commands: readonly Command[]
  readonly groups: readonly Group[]
  readonly rootOptions: readonly RootOption[]
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number }
type Input = NodeJS.ReadableStream & { isTTY?: boolean }
export type Streams = { stdin: Input; stdout: Output; stderr: Output }

/** Configuration, streams and output functions that every command receives. */
export type Cli = {
  readonly config: Config
  readonly table: Table
  readonly streams: Streams
  /** Width of the terminal. Undefined if stdout is not a terminal, so that programs get complete lines. */
  readonly columns: number | undefined
  /** Whether stdin and stderr are terminals, so that the command can ask questions. */
  readonly interactive: boolean
  /** Whether errors are printed as JSON, so that programs read stderr too. */
  readonly isForProgram: boolean
  /** Writes the result to stdout. */
  readonly print: (lines: string | readonly string[]) => void
  /** Writes the result to stdout when the command has ended, in a pager if the terminal has fewer lines. */
  readonly printPaged: (lines: string | readonly string[]) => void
  /** Shows what waits for the pager. */
  readonly flush: () => Promise<void>
  /** Writes messages for people to stderr. */
  readonly note: (line: string) => void
  readonly strong: (text: string) => string
  /**
   * Writes a time: as its distance from now on a terminal, else unchanged, so that programs can read it. Null, a time
   * that is not known or not set, becomes `none`, or a dash.
   */
  readonly time: (iso: string | null, none?: string) => string
  /** Shows a spinner on a terminal until `work` settles. A function returns the label of the moment. */
  readonly progress: <T>(label: string | (() => string), work: Promise<T>) => Promise<T>
  readonly readStdin: () => Promise<string>
}

export type Format = 'table' | 'json' | 'yaml'
export type OutputFlags = { output: Format }
export type LoginFlags = { context?: string; timeout?: number }
export type ConfirmFlags = { yes?: boolean }

const HELP: Option = { name: 'help', short: 'h', summary: 'print help' }

const OUTPUT: readonly Option[] = [
  { name: 'output', short: 'o', value: 'format', choices: ['table', 'json', 'yaml'], summary: 'output format' },
  { name: 'json', summary: 'same as -o json' },
  { name: 'no-pager', summary: 'print long output directly' },
]
const LOGIN: readonly Option[] = [
  { name: 'context', value: 'name', completes: 'contexts', summary: 'login to use instead of the current one' },
  { name: 'timeout', value: 'seconds', range: [1, 3600], summary: 'give up after this many seconds (default: 30)' },
]
const CONFIRM: Option = { name: 'yes', short: 'y', summary: 'do not ask for confirmation' }

/** The `--limit` option of commands that print paged lists. */
export const LIMIT: Option = {
  name: 'limit',
  value: 'n',
  range: [1, 1000],
  summary: 'show at most this many (default: 100)',
}

/** Options that may also precede the command. */
export const COMMON_OPTIONS: readonly Option[] = [...OUTPUT, ...LOGIN, HELP]

/** Returns all options of a command, its own first. */
export function optionsOf({ options = [], output, login, confirms }: Command): readonly Option[] {
  const shared = [...(output === false ? [] : OUTPUT), ...(login === false ? [] : LOGIN)]
  return [...options, ...(confirms ? [CONFIRM] : []), ...shared, HELP]
}

export function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
