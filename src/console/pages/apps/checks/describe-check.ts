import type { Status } from '#console/parts/list/chip.tsx'
import type { Check, CheckState, Verdict } from '#contract/checks/checks.ts'
import type { CheckDefinition } from '#contract/checks/definition.ts'
import type { RunsState } from '#contract/checks/runs-state.ts'

export const VERDICTS: Record<Verdict, Status> = {
  pass: { word: 'Passed', tone: 'success' },
  fail: { word: 'Failed', tone: 'failure' },
  error: { word: 'Could not run', tone: 'attention' },
  indeterminate: { word: 'Inconclusive', tone: 'unknown' },
}

/** Half of the runs or more make a part of the time a failed one, so that one of many does not. */
export const RUNS_STATES: Record<RunsState, Status> = {
  ...VERDICTS,
  mixed: { word: 'Mixed', tone: 'attention' },
}

const STATES: Record<CheckState, Status> = {
  ...VERDICTS,
  unknown: { word: 'Not run yet', tone: 'unknown' },
  pass: { word: 'Passes', tone: 'success' },
  failing: { word: 'Failing', tone: 'attention' },
}

export function showCheckState({ state, enabled }: Pick<Check, 'state' | 'enabled'>): Status {
  return enabled ? STATES[state] : { word: 'Paused', tone: 'plain' }
}

/** Describes in one line what a check looks at. */
export function describeCheck(definition: CheckDefinition): string {
  switch (definition.kind) {
    case 'http':
      return `GET ${definition.target} answers ${definition.expected_status ?? '200 to 399'}`
    case 'log':
      return describeLogCheck(definition)
    case 'agent':
      return `${definition.model} judges: ${definition.instructions}`
  }
}

function describeLogCheck({
  text,
  level,
  window_minutes,
  min_count,
  max_count,
}: Extract<CheckDefinition, { kind: 'log' }>): string {
  const most = max_count ?? (min_count === null ? 0 : null)
  const count = [min_count !== null && `at least ${min_count}`, most !== null && `at most ${most}`]
    .filter(Boolean)
    .join(' and ')
  const which = [level !== null && `${level} or above`, text !== null && `with “${text}”`].filter(Boolean).join(' ')
  return `${count} lines ${which} in ${window_minutes} minutes`.replace('lines  in', 'lines in')
}

export function describeInterval(minutes: number): string {
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}
