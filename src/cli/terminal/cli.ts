import { styleText } from 'node:util'
import type { Cli, Streams, Table } from '../command/command.ts'
import type { Config } from '../command/config.ts'
import { relativeTime } from './relative-time.ts'
import { startSpinner } from './spinner.ts'

export type { Cli, Streams } from '../command/command.ts'

type CliOptions = { paged?: boolean; isForProgram?: boolean }

export function createCli(config: Config, table: Table, streams: Streams, options: CliOptions = {}): Cli {
  const { paged = true, isForProgram = false } = options
  const { stdout } = streams
  const print: Cli['print'] = (lines) => void stdout.write(`${[lines].flat().join('\n')}\n`)
  let waiting: string[] | undefined
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
    isForProgram,
    print,
    printPaged: (lines) => {
      const all = [lines].flat().flatMap((line) => line.split('\n'))
      const fits = !stdout.isTTY || config.dumbTerminal || all.length < (stdout.rows ?? Number.POSITIVE_INFINITY)
      if (paged && !fits) waiting = [...(waiting ?? []), ...all]
      else print(lines)
    },
    flush: async () => {
      if (waiting === undefined) return
      const { showInPager } = await import('./pager.ts')
      const lines = waiting
      waiting = undefined
      if (!(await showInPager(`${lines.join('\n')}\n`, config))) print(lines)
    },
    note: (line) => void streams.stderr.write(`${line}\n`),
    strong: (text) => (colored ? styleText('bold', text, { validateStream: false }) : text),
    time: (iso, none = '-') => {
      if (iso === null) return none
      return stdout.isTTY ? relativeTime(iso, Date.now()) : iso
    },
    progress: async (label, work) => {
      const moving = streams.stderr.isTTY && !config.dumbTerminal
      const labelNow = typeof label === 'string' ? () => label : label
      return work.finally(moving ? startSpinner(streams.stderr, labelNow) : undefined)
    },
    readStdin: async () => (await import('node:stream/consumers')).text(streams.stdin),
  }
}
