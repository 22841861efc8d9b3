import { PassThrough } from 'node:stream'
import { readConfig } from '../../../src/cli/command/config.ts'
import { TABLE } from '../../../src/cli/commands.ts'
import { run } from '../../../src/cli/run.ts'
import type { Streams } from '../../../src/cli/terminal/cli.ts'

type Options = {
  env?: Record<string, string>
  /** Standard input. */
  stdin?: string
  /** Columns of the terminal; without it standard output is a pipe. */
  columns?: number
  /** Lines of the terminal; without it nothing is too long for it. */
  rows?: number
  folder?: string
}

type Ran = { exit: number; stdout: string; stderr: string }

/** Runs a command of the client in this process, with its own streams and environment. */
export async function runSvc(args: readonly string[], options: Options = {}): Promise<Ran> {
  const folder = options.folder ?? '/nonexistent'
  const config = readConfig(options.env ?? {}, { home: folder, platform: 'linux', folder })
  const { streams, stdout, stderr } = openStreams(options)
  const exit = await run(args, TABLE, config, streams)
  return { exit, stdout: stdout(), stderr: stderr() }
}

/** Starts a command that goes on until it is ended. `output` is what it printed so far. */
export function startSvc(
  args: readonly string[],
  options: Options = {},
): { output: () => string; exit: Promise<number> } {
  const folder = options.folder ?? '/nonexistent'
  const config = readConfig(options.env ?? {}, { home: folder, platform: 'linux', folder })
  const { streams, stdout } = openStreams(options)
  return { output: stdout, exit: run(args, TABLE, config, streams) }
}

function openStreams({ stdin, columns, rows }: Options): {
  streams: Streams
  stdout: () => string
  stderr: () => string
} {
  const terminal = columns === undefined ? {} : { isTTY: true, columns, ...(rows !== undefined && { rows }) }
  const out = new PassThrough()
  const err = new PassThrough()
  const streams = {
    stdin: Object.assign(new PassThrough(), terminal),
    stdout: Object.assign(out, terminal),
    stderr: Object.assign(err, terminal),
  }
  if (columns === undefined) streams.stdin.end(stdin ?? '')
  else if (stdin !== undefined) streams.stdin.write(stdin)
  return { streams, stdout: textOf(out), stderr: textOf(err) }
}

/** Reads while the command runs, because a command waits when nobody does. */
function textOf(stream: PassThrough): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return () => text + String(stream.read() ?? '')
}
