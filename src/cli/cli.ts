import { styleText } from 'node:util'
import type { Cli, Streams, Table } from './command.ts'
import type { Config } from './config.ts'
import { startSpinner } from './spinner.ts'

export type { Cli, Streams } from './command.ts'

export function createCli(config: Config, table: Table, streams: Streams): Cli {
  const { stdout } = streams
  const colored = Boolean(stdout.isTTY) && !config.noColor && !config.dumbTerminal
  return {
    config,
    table,
    streams,
    columns: stdout.isTTY ? (stdout.columns ?? 80) : undefined,
    // A getter, because the first access to a standard stream opens it, which takes milliseconds.
    get interactive() {
      return Boolean(streams.stdin.isTTY && streams.stderr.isTTY)
    },
    print: (lines) => void stdout.write(`${[lines].flat().join('\n')}\n`),
    note: (line) => void streams.stderr.write(`${line}\n`),
    strong: (text) => (colored ? styleText('bold', text, { validateStream: false }) : text),
    progress: async (label, work) => {
      const moving = streams.stderr.isTTY && !config.dumbTerminal
      const labelNow = typeof label === 'string' ? () => label : label
      return work.finally(moving ? startSpinner(streams.stderr, labelNow) : undefined)
    },
    readStdin: async () => (await import('node:stream/consumers')).text(streams.stdin),
  }
}
