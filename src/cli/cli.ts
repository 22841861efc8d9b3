import { styleText } from 'node:util'
import type { Table } from './command.ts'
import type { Config } from './config.ts'
import { startSpinner } from './spinner.ts'

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
  print(lines: string | readonly string[]): void
  /** Anything else, for the person: stderr. */
  note(line: string): void
  strong(text: string): string
  /** Shows on a terminal that work goes on, until it ends. */
  progress<T>(label: string, work: Promise<T>): Promise<T>
  readStdin(): Promise<string>
}

export function createCli(config: Config, table: Table, streams: Streams): Cli {
  const { stdout } = streams
  const colored = Boolean(stdout.isTTY) && !config.noColor && !config.dumbTerminal
  return {
    config,
    table,
    streams,
    columns: stdout.isTTY ? (stdout.columns ?? 80) : undefined,
    // Asked for only when needed: a process opens each of its streams at the first look, for milliseconds.
    get interactive() {
      return Boolean(streams.stdin.isTTY && streams.stderr.isTTY)
    },
    print: (lines) => void stdout.write(`${[lines].flat().join('\n')}\n`),
    note: (line) => void streams.stderr.write(`${line}\n`),
    strong: (text) => (colored ? styleText('bold', text, { validateStream: false }) : text),
    progress: async (label, work) => {
      const moving = streams.stderr.isTTY && !config.dumbTerminal
      return work.finally(moving ? startSpinner(streams.stderr, label) : undefined)
    },
    readStdin: async () => (await import('node:stream/consumers')).text(streams.stdin),
  }
}
