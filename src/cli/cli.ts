import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import type { Config } from './config.ts'

/** What a command gets: its surroundings, and two ways to speak. */
export type Cli = {
  config: Config
  /** The answer: stdout, which a program may read. */
  print: (lines: string | readonly string[]) => void
  /** Anything else, for the person: stderr. */
  note: (line: string) => void
  strong: (line: string) => string
  readStdin: () => Promise<string>
}

export function createCli(config: Config): Cli {
  const colored = process.stdout.isTTY && !config.noColor
  return {
    config,
    print: (lines) => void process.stdout.write(`${[lines].flat().join('\n')}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    strong: (line) => (colored ? styleText('bold', line, { validateStream: false }) : line),
    readStdin: () => text(process.stdin),
  }
}
