import { type LogRecord, searchLogs, tailLogs } from '#contract/apps/logs.ts'
import type { Client } from '#contract/core/client.ts'
import { showInvisible } from '#contract/core/show-invisible.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import { HintedError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show, toJsonLine } from '../../terminal/output.ts'

type Filter = { text?: string; level?: LogRecord['level']; deploy?: string }
type Flags = OutputFlags & LoginFlags & Filter & { since?: string; until?: string; lines?: number; follow?: boolean }

const DEFAULT_LINES = 100

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  await (flags.follow ? follow(client, alias, flags, cli) : search(client, alias, flags, cli))
}

/** Prints each line as it comes: as text, or as one JSON object a line. */
async function follow(client: Client, alias: string, flags: Flags, cli: Cli): Promise<void> {
  const input = { alias, ...filterOf(flags), lines: flags.lines ?? 20 }
  for await (const event of client.stream(tailLogs, input)) {
    if (flags.output !== 'table') cli.print(toJsonLine(event))
    else if (event.type === 'dropped') cli.note(`${event.count} lines were dropped here.`)
    else cli.print(lineOf(event))
  }
}

async function search(client: Client, alias: string, flags: Flags, cli: Cli): Promise<void> {
  const input = { alias, ...filterOf(flags), since: timeOf(flags.since), until: timeOf(flags.until) }
  const { items, dropped, next_cursor } = await collect(client, searchLogs, input, flags.lines ?? DEFAULT_LINES)
  // People read downwards, so the newest line is the last.
  show(cli, flags.output, { items, dropped }, () => items.toReversed().map(lineOf))
  if (items.length === 0) cli.note('No lines match.')
  if (dropped > 0) cli.note(`${dropped} lines of this app were dropped in that time.`)
  if (next_cursor !== null) cli.note('There are older lines. Show more with --lines.')
}

function filterOf({ text, level, deploy }: Filter) {
  return { ...(text && { text }), ...(level && { level }), ...(deploy && { deploy_id: deploy }) }
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Reads a time, or how long ago it was: `15m`, `2h`, `7d`. */
function timeOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count && unit) return new Date(Date.now() - Number(count) * UNITS[unit]! * 1000).toISOString()
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) {
    throw new HintedError(
      'INVALID_REQUEST',
      `"${text}" is not a time.`,
      'Give one such as 15m, 2h, 7d or 2026-01-31T08:00:00Z.',
    )
  }
  return time.toISOString()
}

function lineOf({ at, level, source, text }: LogRecord): string {
  return `${at} ${level.padEnd(5)} ${source.padEnd(6)} ${showInvisible(text)}`
}
