import { callFunction } from '#contract/functions.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import { HintedError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show, toJson } from '../../terminal/output.ts'
import { printableLines } from '../../terminal/printable.ts'
import { readData } from '../../terminal/read-data.ts'

type Flags = OutputFlags & LoginFlags & { data?: string }

export async function run([alias, name]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const sent = toObject(flags.data === undefined ? '{}' : await readData(flags.data, cli))
  const client = await openClient(flags, cli)
  const calling = client.call(callFunction, { alias, name, arguments: sent })
  const answer = await cli.progress(`Calling ${name}`, calling)
  show(cli, flags.output, answer, () => printableLines(textOf(answer.result)).split('\n'))
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : toJson(result)
}

function toObject(text: string): Record<string, unknown> {
  const value = parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new HintedError(
    'INVALID_REQUEST',
    'The arguments are not a JSON object.',
    'Give one such as --data \'{"name": "Ada"}\', or a file with --data @arguments.json.',
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
