import { type Check, changeCheck, deleteCheck, listCheckRuns, listChecks, readCheck } from '#contract/checks/checks.ts'
import type { CheckSchedule } from '#contract/checks/definition.ts'
import { askToConfirm, clientCommand } from '../../call/client-command.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import type { ConfirmFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable } from '../../terminal/printable.ts'
import { type Pair, toPairs } from '../../terminal/table.ts'

export const list = listCommand(listChecks, {
  label: 'Listing checks',
  input: ([alias]) => ({ alias }),
  header: ['NAME', 'KIND', 'STATE', 'SCHEDULE', 'LAST RUN'],
  cut: ['SCHEDULE'],
  row: (check, cli) => [
    check.name,
    check.definition.kind,
    stateText(check),
    scheduleText(check.schedule),
    cli.time(check.last_run_at),
  ],
  none: ([alias], _, { config }) =>
    `${alias} has no checks yet. Create one: ${config.program} checks create ${alias} "Front page" --target /`,
})

export const history = listCommand(listCheckRuns, {
  label: 'Listing runs',
  input: ([alias, check]) => ({ alias, check }),
  header: ['WHEN', 'VERDICT', 'TRIGGER', 'DETAIL'],
  cut: ['DETAIL'],
  row: ({ created_at, verdict, state, trigger, detail }, cli) => [
    cli.time(created_at),
    verdict ?? state,
    trigger,
    detail ?? '-',
  ],
  none: ([alias, check], _, { config }) =>
    `The check has not run yet. Run it: ${config.program} checks run ${alias} ${printable(JSON.stringify(check))}`,
})

export const show = callCommand(readCheck, {
  input: ([alias, check]) => ({ alias, check }),
  text: (check, _, cli) => toPairs(pairsOf(check, cli)),
})

export const pause = callCommand(changeCheck, {
  input: ([alias, check]) => ({ alias, check, enabled: false }),
  text: ({ name }) => `Paused the check ${name}.`,
})

export const resume = callCommand(changeCheck, {
  input: ([alias, check]) => ({ alias, check, enabled: true }),
  text: ({ name }) => `Resumed the check ${name}.`,
})

export const remove = clientCommand(async (client, [alias, check], { yes }: ConfirmFlags, cli) => {
  const { id, name } = await client.call(readCheck, { alias, check })
  await askToConfirm(cli, yes, `This deletes the check ${name} of ${alias} with its history`, name)
  const deleted = await client.call(deleteCheck, { alias, check: id })
  return { document: deleted, text: `Deleted the check ${name}.` }
})

function pairsOf(check: Check, cli: Cli): Pair[] {
  const { kind, ...fields } = check.definition
  const given = Object.entries(fields).filter(([, value]) => value !== null)
  return [
    ['Name', check.name],
    ['Id', check.id],
    ['State', `${stateText(check)}, ${cli.time(check.state_since)}`],
    ['Kind', kind],
    ...given.map(([name, value]): Pair => [toLabel(name), String(value)]),
    ['Schedule', scheduleText(check.schedule)],
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

function stateText({ state, enabled, consecutive_fails, threshold }: Check): string {
  const text = state === 'failing' ? `failing (${consecutive_fails} of ${threshold})` : state
  return enabled ? text : `paused (${text})`
}

function scheduleText(schedule: CheckSchedule): string {
  if ('cron' in schedule) return `${schedule.cron} ${schedule.timezone}`
  return schedule.every_minutes === 1 ? 'every minute' : `every ${schedule.every_minutes} minutes`
}
