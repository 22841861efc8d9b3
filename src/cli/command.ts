import type { Config } from './config.ts'

/** `<name>` in its place; `choices` are all it may be. Only the last ones may be optional. */
export type Argument = {
  readonly name: string
  readonly summary: string
  readonly choices?: readonly string[]
  readonly optional?: true
}

export type Option = {
  /** `top-k` is written `--top-k` and arrives as `topK`. */
  readonly name: string
  readonly short?: string
  readonly summary: string
  /** What it takes, as help shows it between angle brackets. Without it the option is a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  /** It takes a whole number from the first to the second. */
  readonly range?: readonly [number, number]
  /** May be given again; arrives as a list. */
  readonly repeat?: true
}

export type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Narrower types for arguments and flags are the command's own business: its row says what they are. */
type Body = { run(args: readonly string[], flags: Flags, cli: Cli): Promise<void> }

/** A command is a row of data. Help, completion and the guide are made from it; its code is loaded when it runs. */
export type Command = {
  /** Words after `svc`: `datasource query`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  /** Prints data: takes `-o` and `--json`. */
  readonly output?: true
  /** Speaks to an instance as somebody: takes `--context` and `--timeout`. */
  readonly login?: true
  /** Asks before it acts: takes `--yes`. */
  readonly confirms?: true
  readonly examples: readonly [string, ...string[]]
  readonly load: () => Promise<Body>
}

/** Words that lead to commands. */
type Group = { readonly path: string; readonly summary: string }

/** An option of `svc` itself, which does what it says and ends. */
export type RootOption = Option & { readonly load?: () => Promise<Body> }

export type Table = {
  readonly commands: readonly Command[]
  readonly groups: readonly Group[]
  readonly rootOptions: readonly RootOption[]
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
type Input = NodeJS.ReadableStream & { isTTY?: boolean }
export type Streams = { stdin: Input; stdout: Output; stderr: Output }

/** What a command gets: its surroundings, and the ways to speak and to ask. */
export type Cli = {
  readonly config: Config
  readonly table: Table
  readonly streams: Streams
  /** Width to fit lines into; undefined where a program reads, which wants all of it. */
  readonly columns: number | undefined
  /** Somebody is there to ask. */
  readonly interactive: boolean
  /** The answer: stdout, which a program may read. */
  readonly print: (lines: string | readonly string[]) => void
  /** Anything else, for the person: stderr. */
  readonly note: (line: string) => void
  readonly strong: (text: string) => string
  /** Shows on a terminal that work goes on, until it ends. */
  readonly progress: <T>(label: string, work: Promise<T>) => Promise<T>
  readonly readStdin: () => Promise<string>
}

export type Format = 'table' | 'json' | 'yaml'
export type OutputFlags = { output: Format }
export type LoginFlags = { context?: string; timeout?: number }
export type ConfirmFlags = { yes?: boolean }

const HELP: Option = { name: 'help', short: 'h', summary: 'print this help' }

const OUTPUT: readonly Option[] = [
  { name: 'output', short: 'o', value: 'format', choices: ['table', 'json', 'yaml'], summary: 'how to print it' },
  { name: 'json', summary: 'the same as -o json' },
]
const LOGIN: readonly Option[] = [
  { name: 'context', value: 'name', summary: 'the login to use, in place of the current one' },
  { name: 'timeout', value: 'seconds', range: [1, 3600], summary: 'give up after so long (default: 30)' },
]
const CONFIRM: Option = { name: 'yes', short: 'y', summary: 'do not ask' }

/** Of the lists that come in pages. */
export const LIMIT: Option = { name: 'limit', value: 'n', range: [1, 1000], summary: 'at most so many (default: 100)' }

/** Those that may also stand before the command. */
export const COMMON_OPTIONS: readonly Option[] = [...OUTPUT, ...LOGIN, HELP]

/** All that a command takes, its own first. */
export function optionsOf({ options = [], output, login, confirms }: Command): readonly Option[] {
  return [...options, ...(confirms ? [CONFIRM] : []), ...(output ? OUTPUT : []), ...(login ? LOGIN : []), HELP]
}

export function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
