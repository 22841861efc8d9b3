import { type Check, readCheck } from '#contract/checks/checks.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { toPairs } from '../../terminal/table.ts'
import { scheduleText, stateText } from './texts.ts'

type Flags = OutputFlags & LoginFlags

export async function run([alias, name]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const check = await client.call(readCheck, { alias, check: name })
  show(cli, flags.output, check, () => toPairs(pairsOf(check, cli)))
}

function pairsOf(check: Check, cli: Cli): [string, string][] {
  const { kind, ...fields } = check.definition
  const given = Object.entries(fields).filter(([, value]) => value !== null)
  return [
    ['Name', printable(check.name)],
    ['Id', check.id],
    ['State', `${stateText(check)}, ${cli.time(check.state_since)}`],
    ['Kind', kind],
    ...given.map(([name, value]): [string, string] => [toLabel(name), printable(String(value))]),
    ['Schedule', printable(scheduleText(check.schedule))],
    ['Threshold', String(check.threshold)],
    ['Last run', check.last_run_at === null ? '-' : `${check.last_verdict}, ${cli.time(check.last_run_at)}`],
    ['Next run', cli.time(check.next_run_at)],
  ]
}

/** `timeout_seconds` becomes `Timeout seconds`. */
function toLabel(name: string): string {
  const text = name.replaceAll('_', ' ')
  return `${text[0]!.toUpperCase()}${text.slice(1)}`
}
